import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LAKE_VIEWS } from '../../../../infra/lake-views/views.ts';
import { aFact } from '../../../support/analytics/analytics.ts';
import { aStoredEvent } from '../../../support/analytics/lake.ts';
import { useLake } from '../../../support/cli/query.ts';
import { parseCsv } from '../../../support/csv.ts';

const { root, lake, folder, run, ask, inCopies, copies, addFile, addEvents } = useLake();

describe('output', () => {
  test('a table aligns numbers right, leaves NULL empty and truncates long texts; stderr has the row count', async () => {
    const sql = `SELECT 12 AS n, 'a' AS t, NULL AS nothing, 10.0 / 3 AS share UNION ALL SELECT 7, repeat('x', 80), NULL, 0.5`;
    const { code, out, err } = await run(sql);
    expect([code, err]).toEqual([0, expect.stringMatching(/^2 rows in \d+\.\d s\n$/)]);
    expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
      ` n  t${' '.repeat(61)}nothing        share`,
      `12  a${' '.repeat(70)}3.333333333`,
      ` 7  ${'x'.repeat(59)}…${' '.repeat(19)}0.5`,
      '',
    ]);
  });

  test('control characters in event data are escaped in a table', async () => {
    await addEvents(aStoredEvent({ utm_source: '\u001b[2J\u202egnp', payload: 'a\nb' }));
    const { out } = await run('SELECT utm_source, payload FROM events');
    expect(out).toContain('\\u001b[2J\\u202egnp');
    expect(out).toContain('a\\u000ab');
  });

  test('CSV contains all rows and characters; without --raw, formulas begin with an apostrophe', async () => {
    const sql = `SELECT '=1+1' AS a, 'x,"y"' AS b, -5 AS c, NULL AS d, DATE '2026-05-31' AS e UNION ALL SELECT 'ü
z', '', 2, 'd', NULL`;
    const guarded = await run(sql, '--csv');
    expect(parseCsv(guarded.out)).toEqual([
      ['a', 'b', 'c', 'd', 'e'],
      ["'=1+1", 'x,"y"', '-5', '', '2026-05-31'],
      ['ü\nz', '', '2', 'd', ''],
    ]);
    expect(parseCsv((await run(sql, '--csv', '--raw')).out)[1]?.[0]).toBe('=1+1');
  });

  test('JSON: safe integers are numbers, larger integers and times are strings, lists and structs are JSON', async () => {
    const sql = `SELECT 9007199254740993 AS key, 5::BIGINT AS n, 1.50::DECIMAL(9,2) AS price, true AS yes, NULL AS none,
      TIMESTAMP '2026-05-31 10:00:00' AS at, [1, 2] AS list, {'a': 'b'} AS object, 'nan'::DOUBLE AS nan,
      sum(3) AS sum, 12345678901234567.89::DECIMAL(30, 2) AS long`;
    const { out } = await run(sql, '--json');
    expect(JSON.parse(out)).toEqual([
      {
        key: '9007199254740993',
        n: 5,
        price: 1.5,
        yes: true,
        none: null,
        at: '2026-05-31 10:00:00',
        list: [1, 2],
        object: { a: 'b' },
        nan: null,
        sum: 3,
        long: '12345678901234567.89',
      },
    ]);
    expect(JSON.parse((await run('SELECT 1 WHERE false', '--json')).out)).toEqual([]);
  });

  test('CSV of 200,000 rows is streamed; a table ends after 1,000 rows, with a note', async () => {
    const before = process.memoryUsage().heapUsed;
    const { code, writes, out } = await run('SELECT range AS n FROM range(200000)', '--csv');
    expect([code, out.length]).toEqual([0, 'n\r\n'.length + 1_488_890]);
    expect(writes).toBeGreaterThan(50);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
    const table = await run('SELECT range AS n FROM range(2000000000)');
    expect(table.out.split('\n')).toHaveLength(1 + 1_000 + 1);
    expect(table.err).toContain('more rows');
  });

  test('--file reads the SELECT from a file', async () => {
    const file = join(folder(), 'query.sql');
    writeFileSync(file, 'SELECT 42 AS answer -- the question is elsewhere\n;\n');
    expect(JSON.parse((await run('--file', file, '--json')).out)).toEqual([{ answer: 42 }]);
    const missing = await run('--file', join(folder(), 'none.sql'));
    expect(missing).toMatchObject({ code: 1, out: '', err: expect.stringContaining('none.sql does not exist.') });
  });

  test('the help lists every view with its columns', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const { columns } of LAKE_VIEWS)
      expect(out.replace(/\s+/g, ' ')).toContain(columns.map((column) => column.name).join(', '));
    for (const { name } of LAKE_VIEWS) expect(out).toContain(`${name}: `);
  });
});

test.each([
  [[]],
  [['SELECT 1', '--file', 'q.sql']],
  [['SELECT 1', '--csv', '--json']],
  [['SELECT 1', '--timezone', 'Mars/Olympus']],
  [['SELECT 1', '--timezone', "UTC'"]],
  [['SELECT 1', 'SELECT 2']],
  [['SELECT 1', '--nonsense']],
])('2: the arguments %j are rejected with a message, and no query is run', async (args) => {
  const { code, out, err } = await run(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^error: .*\nAdd --help to see the options\.\n$/s);
  expect(lake().gets).toEqual([]);
});

describe('SQL cannot', () => {
  const secret = join(root, 'secret.txt');
  writeFileSync(secret, 'not for queries');
  const target = join(root, 'written.csv');

  test.each([
    ['read a local file', `SELECT * FROM read_text('${secret}')`],
    ['read a local file as CSV', `FROM '${secret}'`],
    ['list folders', "SELECT * FROM glob('/*')"],
    ['read the environment', "SELECT getenv('HOME')"],
    ['fetch a URL', "FROM 'http://127.0.0.1:9/x.parquet'"],
    ['write a file', `COPY (SELECT 1) TO '${target}'`],
    ['write within EXPLAIN', `EXPLAIN ANALYZE COPY (SELECT 1) TO '${target}'`],
    ['export', `EXPORT DATABASE '${target}'`],
    ['attach a database', `ATTACH '${target}'`],
    ['install an extension', 'INSTALL httpfs'],
    ['load an extension', 'LOAD httpfs'],
    ['enable external access', 'SET enable_external_access = true'],
    ['raise its memory', "SET memory_limit = '64GB'"],
    ['create a table', 'CREATE TABLE t AS SELECT 1'],
    ['change a view', 'CREATE OR REPLACE TEMP VIEW sessions AS SELECT 1'],
    ['insert rows', 'INSERT INTO facts SELECT * FROM facts'],
    ['call a procedure', 'CALL force_checkpoint()'],
    ['prepare a statement', 'PREPARE x AS SELECT 1'],
    ['run two statements', 'SELECT 1; SELECT 2'],
    ['append a second statement', `SELECT 1; COPY (SELECT 1) TO '${target}'`],
    ['be empty', ''],
    ['be only a comment', '/* SELECT 1 */'],
  ])('%s', async (_, sql) => {
    const { code, out, err } = await run(sql || ' ');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/\S.*\n$/);
    expect(err).not.toContain('not for queries');
    expect(existsSync(target)).toBe(false);
  });

  test('write to the local copies that it reads, or to their folder', async () => {
    await addFile([aFact()]);
    await run('SELECT 1');
    const before = copies();
    const wholePath = inCopies(before[0] ?? '');
    for (const path of [inCopies('written.csv'), wholePath]) {
      for (const sql of [`COPY (SELECT 1) TO '${path}'`, `EXPLAIN ANALYZE COPY (SELECT 1) TO '${path}'`])
        expect(await run(sql)).toMatchObject({ code: 1, out: '' });
    }
    expect(existsSync(inCopies('written.csv'))).toBe(false);
    expect(await ask('SELECT count(*) AS n FROM sessions')).toEqual([{ n: 1 }]);
  });
});

test.each(['', ' ', '-- only a comment', '/* the same */'])(
  '1: the SQL %j is rejected, because it has no statement',
  async (sql) => {
    const { code, out, err } = await run(sql);
    const message = 'There is no SQL: give a SELECT in quotation marks, or in the file of --file.\n';
    expect([code, out, err]).toEqual([1, '', message]);
  },
);

test('1: for invalid SQL, DuckDB’s message is printed, without a stack trace', async () => {
  const { code, out, err } = await run('SELECT wrong\nFROM sessions');
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^Binder Error: .*"wrong".*\n\nLINE 1: SELECT wrong\n {15}\^\n$/s);
  const late = await run(`SELECT CAST(utm_source AS INTEGER) FROM (VALUES ('x')) AS t(utm_source)`);
  expect([late.code, late.out]).toEqual([1, '']);
  expect(late.err).toMatch(/^Conversion Error: /);
});
