import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { RAW_EVENT_COLUMNS } from '../../../../infra/lake-views/raw-event-columns.ts';
import { createParquetEventWriter } from '../../../../infra/local/firehose/write-parquet.ts';
import { EventRow } from '../../../../shared/analytics/events/event-row.ts';
import { sessionKey } from '../../../../shared/analytics/events/session-key.ts';
import { createSandboxedDuckDb, sqlString } from '../../../../shared/analytics/facts/duckdb/duckdb.ts';
import { MAY_31 } from '../../../support/analytics/analytics.ts';
import { aStoredEvent, memoryLake, someStoredEvent } from '../../../support/analytics/lake.ts';

const folder = mkdtempSync(join(tmpdir(), 'raw-events-'));
const drafts = mkdtempSync(join(tmpdir(), 'raw-event-drafts-'));
afterAll(() => {
  for (const made of [folder, drafts]) rmSync(made, { recursive: true });
});

const withConnection = createSandboxedDuckDb(folder);

async function written(events: readonly EventRow[]) {
  const lake = memoryLake();
  const key = await createParquetEventWriter(lake.objects, { folder: drafts }).write('2026-05-31', events);
  // The name is unique, as in the lake, because DuckDB caches parts of files by name.
  const path = join(folder, `${randomUUID()}.parquet`);
  await writeFile(path, lake.stored.get(key) ?? '');
  try {
    return await withConnection(async (connection) => {
      const all = await connection.runAndReadAll(`FROM read_parquet(${sqlString(path)})`);
      const groups = await connection.runAndReadAll(
        `SELECT DISTINCT compression FROM parquet_metadata(${sqlString(path)})`,
      );
      return { key, rows: all.getRowObjects(), names: all.columnNames(), types: all.columnTypes().map(String), groups };
    });
  } finally {
    await rm(path);
  }
}

test('the first column is the session key, the others are those of a stored event; each has a description', () => {
  const [first, ...others] = RAW_EVENT_COLUMNS;
  expect(first).toMatchObject({ name: 'session_key', type: 'BIGINT' });
  expect(others.map(({ name }) => name)).toEqual(Object.keys(EventRow.shape));
  for (const { about } of RAW_EVENT_COLUMNS) expect(about).not.toBe('');
});

test('events with any texts are read as they were written, with their session keys', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someStoredEvent, { minLength: 1, maxLength: 30 }), async (events) => {
      const { rows, names, types } = await written(events);
      expect(names).toEqual(RAW_EVENT_COLUMNS.map(({ name }) => name));
      expect(types).toEqual(RAW_EVENT_COLUMNS.map(({ type }) => type));
      const expected = events.map((event) => ({
        session_key: sessionKey(event.funnel_id, event.session_id),
        ...Object.fromEntries(
          Object.entries(event).map(([name, value]) => [name, typeof value === 'number' ? BigInt(value) : value]),
        ),
      }));
      const byId = (of: readonly object[]) => of.map((row) => JSON.stringify(row, asText)).sort();
      expect(byId(rows)).toEqual(byId(expected));
    }),
    { numRuns: 100 },
  );
}, 60_000);

const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

test('a file is compressed with zstd and sorted by funnel and time', async () => {
  const [a, b] = ['00000000-0000-4000-8000-000000000000', 'ffffffff-0000-4000-8000-000000000000'];
  const events = [b, a, b, a].map((funnel_id, at) => aStoredEvent({ funnel_id, time_ms: MAY_31 - at }));
  const { rows, groups, key } = await written(events);
  expect(rows.map(({ funnel_id, time_ms }) => [funnel_id, Number(time_ms) - MAY_31])).toEqual([
    [a, -3],
    [a, -1],
    [b, -2],
    [b, 0],
  ]);
  expect(groups.getRows()).toEqual([['ZSTD']]);
  expect(key).toMatch(/^events\/arrival_date=2026-05-31\/[0-9A-Z]{26}\.parquet$/);
});

test('if the file cannot be stored, the writer throws and leaves no temporary file', async () => {
  const writer = createParquetEventWriter({ put: () => Promise.reject(new Error('no room')) }, { folder: drafts });
  await expect(writer.write('2026-05-31', [aStoredEvent()])).rejects.toThrow('no room');
  expect(readdirSync(drafts)).toEqual([]);
});
