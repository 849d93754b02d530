import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import { createParquetEventWriter } from '../../../infra/local/firehose/write-parquet.ts';
import type { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { createDuckDbFactWriter } from '../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import type { Fact } from '../../../shared/analytics/facts/fact.ts';
import { factObjectKey } from '../../../shared/analytics/facts/fact-files.ts';
import { arrivalDateOf } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import { MAY_31 } from '../analytics/analytics.ts';
import { FUNNEL } from '../analytics/duckdb-fact-store.ts';
import { ask, memoryLake, runOn } from '../analytics/lake.ts';

/** Sets up the query command with a new lake and a new state folder for each test of the file. */
export function useLake() {
  const root = mkdtempSync(join(tmpdir(), 'query-'));
  afterAll(() => rmSync(root, { recursive: true }));
  let folder = root;
  let lake = memoryLake();
  beforeEach(() => {
    folder = mkdtempSync(join(root, 'state-'));
    lake = memoryLake();
  });
  const inCopies = (...path: string[]) => join(folder, 'tmp', 'query', ...path);
  const copies = () =>
    readdirSync(inCopies(), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet'));

  async function addFile(facts: readonly Fact[], completeUntilMs = MAY_31) {
    const fileStore = { put: (name: string, bytes: Uint8Array) => lake.objects.put(factObjectKey({ name }), bytes) };
    const writer = createDuckDbFactWriter(fileStore, { folder: join(root, 'fact-drafts') });
    const file = await writer.write(FUNNEL, facts, completeUntilMs);
    const read = await lake.manifests.read(FUNNEL);
    await lake.manifests.replaceIfUnchanged(FUNNEL, read, { ...read, files: [...read.files, { ...file, level: '1' }] });
    return file;
  }

  async function addEvents(...events: EventRow[]): Promise<string[]> {
    const writer = createParquetEventWriter(lake.objects, { folder: join(root, 'event-drafts') });
    const keys = [];
    for (const [date, rows] of Map.groupBy(events, arrivalDateOf)) keys.push(await writer.write(date, rows));
    return keys;
  }

  return {
    root,
    inCopies,
    copies,
    addFile,
    addEvents,
    lake: () => lake,
    folder: () => folder,
    run: (...args: string[]) => runOn(lake, folder, ...args),
    ask: (sql: string) => ask(lake, folder, sql),
  };
}
