import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { queryLake } from '../../../infra/cli/query/lake-database.ts';
import { duckdbBaseRewriter } from '../../../shared/analytics/compaction/duckdb-base-rewriter.ts';
import type { SweptFiles } from '../../../shared/analytics/compaction/sweep-facts.ts';
import { duckdbFactReader } from '../../../shared/analytics/facts/duckdb-fact-reader.ts';
import { duckdbFactWriter } from '../../../shared/analytics/facts/duckdb-fact-writer.ts';
import { dynamoFreshFacts } from '../../../shared/analytics/facts/dynamo-fresh-facts.ts';
import { dynamoManifests } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { duckdbRawEventWriter } from '../../../shared/analytics/lake/duckdb-raw-event-writer.ts';
import { arrivalDateOf } from '../../../shared/analytics/lake/raw-event-files.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { memoryFactObjects } from '../memory-fact-objects.ts';
import { type ProductStores, storesOver } from './product.ts';
import { storedEventsOf } from './streamed.ts';
import type { Streamed } from './world.ts';

/** The adapters that run in life: items in the file's DynamoDB, facts and events in Parquet by DuckDB, queried as analysts do. */

const root = mkdtempSync(join(tmpdir(), 'analytics-truth-'));
afterAll(() => rmSync(root, { recursive: true }));
const newFolder = (name: string) => mkdtempSync(join(root, `${name}-`));

const FACT_KEY = /^facts\/funnel_id=(.*)\.parquet$/;
/** So few that a handful of sessions makes several files, in several steps. */
const LIMITS = { fileSessionsMax: 2, chunkFactsMax: 2 };

export function realStores() {
  const objects = memoryFactObjects();
  const rewriter = duckdbBaseRewriter(objects, { folder: newFolder('bases'), ...LIMITS });
  const writer = duckdbFactWriter(objects, { folder: newFolder('drafts') });
  const stores = (clock: Clock): ProductStores =>
    storesOver({
      // What waits since the epoch is due.
      fresh: dynamoFreshFacts({ now: () => 0 }),
      manifests: dynamoManifests(),
      files: duckdbFactReader(objects, { folder: newFolder('copies') }),
      swept: sweptFrom(objects.stored, clock),
      ...{ rewriter, writer },
    });
  return { stores, objects };
}

function sweptFrom(stored: Map<string, Uint8Array>, clock: Clock): SweptFiles {
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

/** Keeps the stream's records as rows of Parquet, each so often. */
export async function keepRaw(
  objects: ReturnType<typeof memoryFactObjects>,
  stream: readonly Streamed[],
  times: number,
) {
  const writer = duckdbRawEventWriter({ put: (key, bytes) => objects.put(key, bytes) }, { folder: newFolder('raw') });
  for (const [date, events] of Map.groupBy(storedEventsOf(stream), arrivalDateOf))
    for (let time = 0; time < times; time++) await writer.write(date, events);
}

/** The rows of a SELECT over every file that is stored, listed by a manifest or not any more. */
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
