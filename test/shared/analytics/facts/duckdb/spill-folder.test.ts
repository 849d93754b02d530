import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandboxedDuckDb } from '../../../../../shared/analytics/facts/duckdb/duckdb.ts';
import { prepareSpillFolder } from '../../../../../shared/analytics/facts/duckdb/spill-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'spill-'));
afterAll(() => rmSync(root, { recursive: true }));

const ROWS = 400_000;
/** Sorting needs far more memory than `memoryMb` allows, so DuckDB spills rows to the folder. */
const SORTED = `SELECT md5(range::VARCHAR) AS text FROM range(${ROWS}) ORDER BY hash(range)`;
const sum = `SELECT count(*) AS n, count(DISTINCT text) AS texts FROM (${SORTED} LIMIT ${ROWS})`;

test('two DuckDB instances that spill to the same parent folder do not read each other’s rows', async () => {
  const folder = join(root, 'shared');
  const create = async () =>
    createSandboxedDuckDb(folder, { threads: 1, memoryMb: 40 })(async (connection) =>
      (await connection.runAndReadAll(sum)).getRowObjects(),
    );
  const expected = [{ n: BigInt(ROWS), texts: BigInt(ROWS) }];
  expect(await Promise.all([create(), create()])).toEqual([expected, expected]);
}, 60_000);

test('prepareSpillFolder keeps the folders of running processes, and deletes all others', async () => {
  const all = join(root, 'left');
  const dead = 2 ** 30;
  for (const name of [`${dead}-a`, `${process.pid}-b`, 'no-pid']) {
    mkdirSync(join(all, name), { recursive: true });
    writeFileSync(join(all, name, 'duckdb_temp_storage_DEFAULT-0.tmp'), 'rows');
  }
  await prepareSpillFolder(all);
  expect(readdirSync(all)).toEqual([`${process.pid}-b`]);
});
