import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { queryLake } from '../../../../infra/cli/query/lake-database.ts';
import { createParquetEventWriter } from '../../../../infra/local/firehose/write-parquet.ts';
import { createDuckDbBaseRewriter } from '../../../../shared/analytics/compaction/duckdb/duckdb-base-rewriter.ts';
import { createDynamoFreshFactRepository } from '../../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { createDynamoManifestRepository } from '../../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createDuckDbFactReader } from '../../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createDuckDbFactWriter } from '../../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import type { FactFileStore } from '../../../../shared/analytics/facts/ports.ts';
import { arrivalDateOf } from '../../../../shared/analytics/raw-events/raw-event-files.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { ignoredMetrics } from '../../platform/ignored-metrics.ts';
import { createMemoryFactObjects } from '../memory-fact-objects.ts';
import type { Streamed } from './simulation.ts';
import { storedEventsOf } from './streamed-rows.ts';
import { type ProductStores, storesOver } from './system-under-test.ts';

/**
 * The deployed adapters, with items in DynamoDB. The Parquet files with facts and events are objects in memory.
 * `queryAll` reads them through the views of the lake.
 */

const root = mkdtempSync(join(tmpdir(), 'analytics-truth-'));
afterAll(() => rmSync(root, { recursive: true }));
const newFolder = (name: string) => mkdtempSync(join(root, `${name}-`));

const FACT_KEY = /^facts\/funnel_id=(.*)\.parquet$/;
/** The limits are so low that a few sessions need several files and several chunks. */
const LIMITS = { fileSessionsMax: 2, chunkFactsMax: 2 };

export function realStores() {
  const objects = createMemoryFactObjects();
  const rewriter = createDuckDbBaseRewriter(objects, { folder: newFolder('bases'), ...LIMITS });
  const writer = createDuckDbFactWriter(objects, { folder: newFolder('drafts') });
  const stores = (clock: Clock): ProductStores =>
    storesOver({
      // All facts are stored with the time 0, so that minor compactions are due.
      fresh: createDynamoFreshFactRepository({ now: () => 0 }),
      manifests: createDynamoManifestRepository(),
      factReader: createDuckDbFactReader(objects, ignoredMetrics, { folder: newFolder('copies') }),
      swept: sweptFrom(objects.stored, clock),
      rewriter,
      writer,
    });
  return { stores, objects };
}

function sweptFrom(stored: Map<string, Uint8Array>, clock: Clock): Pick<FactFileStore, 'list' | 'remove'> {
  return {
    list: async function* () {
      for (const key of [...stored.keys()].sort()) {
        const [, name] = FACT_KEY.exec(key) ?? [];
        if (name !== undefined) yield [{ name, storedMs: clock.now() }];
      }
    },
    remove: async (name) => void stored.delete(`facts/funnel_id=${name}.parquet`),
  };
}

/** Stores the events of the stream in Parquet files, each event `times` times. */
export async function keepRaw(
  objects: ReturnType<typeof createMemoryFactObjects>,
  stream: readonly Streamed[],
  times: number,
) {
  const writer = createParquetEventWriter(
    { put: async (key, bytes) => void objects.stored.set(key, Uint8Array.from(bytes)) },
    { folder: newFolder('raw') },
  );
  for (const [date, events] of Map.groupBy(storedEventsOf(stream), arrivalDateOf))
    for (let time = 0; time < times; time++) await writer.write(date, events);
}

/** Runs a SELECT over all stored files, even those that no manifest lists, and returns its rows. */
export async function queryAll(stored: ReadonlyMap<string, Uint8Array>, sql: string, timeZone = 'UTC') {
  const folder = newFolder('lake');
  for (const [key, bytes] of stored) {
    await mkdir(dirname(join(folder, key)), { recursive: true });
    await writeFile(join(folder, key), bytes);
  }
  const keys = (prefix: string) => [...stored.keys()].filter((key) => key.startsWith(prefix));
  const copies = { folder, keys: { facts: keys('facts/'), raw_events: keys('events/') }, erased: [] };
  return queryLake(copies, sql, timeZone, async (result) => result.getRowObjectsJS());
}
