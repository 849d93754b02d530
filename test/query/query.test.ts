import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { copyLake } from '../../infra/query/copies.ts';
import { sessionKey as keyOf } from '../../shared/analytics/events/session-key.ts';
import type { StoredEvent } from '../../shared/analytics/events/stored-event.ts';
import { duckdbFactWriter } from '../../shared/analytics/facts/duckdb-fact-writer.ts';
import type { Fact } from '../../shared/analytics/facts/fact.ts';
import { factObjectKey } from '../../shared/analytics/facts/fact-files.ts';
import { duckdbRawEventWriter } from '../../shared/analytics/lake/duckdb-raw-event-writer.ts';
import { arrivalDateOf } from '../../shared/analytics/lake/raw-event-files.ts';
import { LAKE_VIEWS } from '../../shared/analytics/lake/views.ts';
import { aFact, DAY_MS, MAY_31 } from '../support/analytics.ts';
import { parseCsv } from '../support/csv.ts';
import { FUNNEL } from '../support/fact-store.ts';
import { aStoredEvent, ask, memoryLake, runOn } from '../support/lake.ts';

const root = mkdtempSync(join(tmpdir(), 'query-'));
afterAll(() => rmSync(root, { recursive: true }));

let folder = root;
let lake = memoryLake();
beforeEach(() => {
  folder = mkdtempSync(join(root, 'state-'));
  lake = memoryLake();
});

const run = (...args: string[]) => runOn(lake, folder, ...args);
const inCopies = (...path: string[]) => join(folder, 'tmp', 'query', ...path);
const copies = () =>
  readdirSync(inCopies(), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet'));

async function addFile(facts: readonly Fact[], completeUntilMs = MAY_31) {
  const writer = duckdbFactWriter(lake.objects, { folder: join(root, 'fact-drafts') });
  const file = await writer.write(FUNNEL, facts, completeUntilMs);
  const read = await lake.manifests.read(FUNNEL);
  await lake.manifests.commit(FUNNEL, read, { ...read, files: [...read.files, { ...file, level: '1' }] });
  return file;
}

async function addEvents(...events: StoredEvent[]): Promise<string[]> {
  const writer = duckdbRawEventWriter(lake.objects, { folder: join(root, 'event-drafts') });
  const keys = [];
  for (const [date, rows] of Map.groupBy(events, arrivalDateOf)) keys.push(await writer.write(date, rows));
  return keys;
}

describe('what comes out', () => {
  test('a table: names above, numbers to the right, nulls empty, long texts cut; rows and time go to stderr', async () => {
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

  test('what a page wrote can not steer the terminal', async () => {
    await addEvents(aStoredEvent({ utm_source: '\u001b[2J\u202egnp', payload: 'a\nb' }));
    const { out } = await run('SELECT utm_source, payload FROM events');
    expect(out).toContain('\\u001b[2J\\u202egnp');
    expect(out).toContain('a\\u000ab');
  });

  test('CSV: every row and character, guarded against formulas unless it shall be raw', async () => {
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

  test('JSON: numbers where JavaScript keeps them, texts for session keys and times, lists and objects as such', async () => {
    const sql = `SELECT 9007199254740993 AS key, 5::BIGINT AS n, 1.50::DECIMAL(9,2) AS price, true AS yes, NULL AS none,
      TIMESTAMP '2026-05-31 10:00:00' AS at, [1, 2] AS list, {'a': 'b'} AS object, 'nan'::DOUBLE AS nan, sum(3) AS sum, 12345678901234567.89::DECIMAL(30, 2) AS long`;
    const { out } = await run(sql, '--json');
    expect(JSON.parse(out)).toEqual([
      {
        ...{ key: '9007199254740993', n: 5, price: 1.5, yes: true, none: null, at: '2026-05-31 10:00:00' },
        ...{ list: [1, 2], object: { a: 'b' }, nan: null, sum: 3, long: '12345678901234567.89' },
      },
    ]);
    expect(JSON.parse((await run('SELECT 1 WHERE false', '--json')).out)).toEqual([]);
  });

  test('millions of rows pass through in parts, and the table ends with a word after a thousand', async () => {
    const before = process.memoryUsage().heapUsed;
    const { code, writes, out } = await run('SELECT range AS n FROM range(200000)', '--csv');
    expect([code, out.length]).toEqual([0, 'n\r\n'.length + 1_488_890]);
    expect(writes).toBeGreaterThan(50);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
    const table = await run('SELECT range AS n FROM range(2000000000)');
    expect(table.out.split('\n')).toHaveLength(1 + 1_000 + 1);
    expect(table.err).toContain('more rows');
  });

  test('the SELECT may come from a file', async () => {
    const file = join(folder, 'query.sql');
    writeFileSync(file, 'SELECT 42 AS answer -- the question is elsewhere\n;\n');
    expect(JSON.parse((await run('--file', file, '--json')).out)).toEqual([{ answer: 42 }]);
    const missing = await run('--file', join(folder, 'none.sql'));
    expect(missing).toMatchObject({ code: 1, out: '', err: expect.stringContaining('can not be read (ENOENT)') });
  });

  test('help names every view with its columns', async () => {
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
])('%j is wrong usage, said in words and without a query', async (args) => {
  const { code, out, err } = await run(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^error: .*\nAdd --help to see what there is\.\n$/s);
  expect(lake.gets).toEqual([]);
});

describe('what SQL can not do', () => {
  const secret = join(root, 'secret.txt');
  writeFileSync(secret, 'not for queries');
  const target = join(root, 'written.csv');
  const inFolder = () => join(folder, 'tmp', 'query', 'written.csv');

  test.each([
    ['read a file of the machine', `SELECT * FROM read_text('${secret}')`],
    ['read one as CSV', `FROM '${secret}'`],
    ['list folders', "SELECT * FROM glob('/*')"],
    ['read the environment', "SELECT getenv('HOME')"],
    ['fetch an address', "FROM 'http://127.0.0.1:9/x.parquet'"],
    ['write a file', `COPY (SELECT 1) TO '${target}'`],
    ['write under cover of an explanation', `EXPLAIN ANALYZE COPY (SELECT 1) TO '${target}'`],
    ['export', `EXPORT DATABASE '${target}'`],
    ['attach a database', `ATTACH '${target}'`],
    ['install an extension', 'INSTALL httpfs'],
    ['load an extension', 'LOAD httpfs'],
    ['lift the locks', 'SET enable_external_access = true'],
    ['raise its memory', "SET memory_limit = '64GB'"],
    ['keep a table', 'CREATE TABLE t AS SELECT 1'],
    ['change a view', 'CREATE OR REPLACE TEMP VIEW sessions AS SELECT 1'],
    ['insert rows', 'INSERT INTO facts SELECT * FROM facts'],
    ['call what is no query', 'CALL force_checkpoint()'],
    ['prepare what is run later', 'PREPARE x AS SELECT 1'],
    ['do two things', 'SELECT 1; SELECT 2'],
    ['hide a second thing', `SELECT 1; COPY (SELECT 1) TO '${target}'`],
    ['do nothing', ''],
    ['do nothing, in a comment', '/* SELECT 1 */'],
  ])('%s', async (_, sql) => {
    const { code, out, err } = await run(sql || ' ');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/\S.*\n$/);
    expect(err).not.toContain('not for queries');
    expect(existsSync(target)).toBe(false);
  });

  test('write over the copies or beside them, though it reads there', async () => {
    await addFile([aFact()]);
    await run('SELECT 1');
    const before = copies();
    const wholePath = join(folder, 'tmp', 'query', before[0] ?? '');
    for (const path of [inFolder(), wholePath]) {
      for (const sql of [`COPY (SELECT 1) TO '${path}'`, `EXPLAIN ANALYZE COPY (SELECT 1) TO '${path}'`])
        expect(await run(sql)).toMatchObject({ code: 1, out: '' });
    }
    expect(existsSync(inFolder())).toBe(false);
    expect(await ask(lake, folder, 'SELECT count(*) AS n FROM sessions')).toEqual([{ n: 1 }]);
  });
});

test.each(['', ' ', '-- only a comment', '/* the same */'])('no SQL at all is told as that: %j', async (sql) => {
  const { code, out, err } = await run(sql);
  expect([code, out, err]).toEqual([1, '', 'There is no SQL to run: give a SELECT in quotation marks.\n']);
});

test('a mistake in the SQL is told in DuckDB’s words, with its place, and without a stack', async () => {
  const { code, out, err } = await run('SELECT wrong\nFROM sessions');
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^Binder Error: .*"wrong".*\n\nLINE 1: SELECT wrong\n {15}\^\n$/s);
  const late = await run(`SELECT CAST(utm_source AS INTEGER) FROM (VALUES ('x')) AS t(utm_source)`);
  expect([late.code, late.out]).toEqual([1, '']);
  expect(late.err).toMatch(/^Conversion Error: /);
});

describe('which files count', () => {
  test('an empty lake has views without rows', async () => {
    for (const { name } of LAKE_VIEWS) expect(await ask(lake, folder, `FROM ${name}`)).toEqual([]);
    expect(await ask(lake, folder, 'FROM facts')).toEqual([]);
    expect(await ask(lake, folder, 'FROM raw_events')).toEqual([]);
  });

  test('facts that stand in several files, and files of events that stand there twice, count once', async () => {
    const start = aFact({ sessionKey: 7n, started: true, timeMs: MAY_31 + 5 });
    await addFile([aFact({ sessionKey: 7n, utmSource: 'first' }), aFact({ sessionKey: 8n })]);
    await addFile([start], MAY_31 + DAY_MS);
    await addFile([start]);
    const [sessions] = await ask(
      lake,
      folder,
      'SELECT funnel_id, count(*) AS n, count_if(started) AS starts, max(utm_source) AS source, max(complete_until) AS until FROM sessions GROUP BY funnel_id',
    );
    expect(sessions).toEqual({ funnel_id: FUNNEL, n: 2, starts: 1, source: 'first', until: '2026-06-01 00:00:00' });
    const event = aStoredEvent();
    await addEvents(event, { ...event, received_ms: event.received_ms + DAY_MS });
    await addEvents(event);
    expect(await ask(lake, folder, 'SELECT count(*) AS n FROM raw_events')).toEqual([{ n: 3 }]);
    expect(await ask(lake, folder, 'SELECT count(*) AS n FROM events')).toEqual([{ n: 1 }]);
    expect(await ask(lake, folder, 'SELECT DISTINCT arrival_date FROM raw_events ORDER BY 1')).toEqual([
      { arrival_date: '2026-05-31' },
      { arrival_date: '2026-06-01' },
    ]);
  });

  test('files that no manifest lists do not: what was erased or rebuilt is not counted again', async () => {
    const erased = await addFile([aFact({ sessionKey: 1n })]);
    await addFile([aFact({ sessionKey: 2n })]);
    expect(await ask(lake, folder, 'SELECT count(*) AS n FROM sessions')).toEqual([{ n: 2 }]);
    const read = await lake.manifests.read(FUNNEL);
    const files = read.files.filter(({ name }) => name !== erased.name);
    await lake.manifests.commit(FUNNEL, read, { ...read, files, generation: 1 });
    expect(await ask(lake, folder, 'SELECT session_key FROM sessions')).toEqual([{ session_key: 2 }]);
    expect(copies()).toHaveLength(1);
  });

  test('a file is copied once, and its copy goes when the lake has it no more', async () => {
    const [key = ''] = await addEvents(aStoredEvent());
    await addFile([aFact()]);
    await run('SELECT 1');
    await run('SELECT 1');
    expect(lake.gets).toHaveLength(2);
    lake.stored.delete(key);
    expect(await ask(lake, folder, 'SELECT count(*) AS n FROM events')).toEqual([{ n: 0 }]);
    expect(copies().filter((name) => name.startsWith('events'))).toEqual([]);
  });

  test('late events of an erased session are no rows of any view, though they stand in files still', async () => {
    const late = aStoredEvent({ session_id: 'erased', kind: 'step_submit', step_id: 'late', step_index: 1 });
    await addEvents(aStoredEvent(), late);
    const sessionKey = keyOf(late.funnel_id, late.session_id);
    await addFile([aFact({ sessionKey }), aFact({ sessionKey: 8n })]);
    lake.erased.push({ funnelId: late.funnel_id, sessionKey, sinceMs: MAY_31 });
    expect(await ask(lake, folder, 'SELECT session_id FROM events')).toEqual([{ session_id: 'session-1' }]);
    expect(await ask(lake, folder, `SELECT * FROM funnel_steps WHERE step_id = 'late'`)).toEqual([]);
    expect(await ask(lake, folder, 'SELECT session_key FROM sessions')).toEqual([{ session_key: 8 }]);
  });

  test('a file of facts that is damaged or missing where it is stored is told, never another number, until it is back', async () => {
    const { name } = await addFile([aFact({ sessionKey: 1n }), aFact({ sessionKey: 2n })]);
    const key = factObjectKey({ name });
    const bytes = Buffer.from(lake.stored.get(key) ?? []);
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
    lake.stored.set(key, damaged);
    expect(await run('SELECT count(*) FROM sessions')).toMatchObject({ code: 1, out: '' });
    expect((await run('SELECT 1')).err).toMatch(new RegExp(`^The file ${key} is damaged where it is stored\\.`));
    lake.stored.delete(key);
    expect(await run('SELECT count(*) FROM sessions')).toMatchObject({ code: 1, out: '' });
    expect((await run('SELECT 1')).err).toMatch(new RegExp(`^The file ${key} is listed but not stored\\.`));
    lake.stored.set(key, bytes);
    expect(await ask(lake, folder, 'SELECT count(*) AS n FROM sessions')).toEqual([{ n: 2 }]);
  });

  test('a copy that was damaged is copied again', async () => {
    const { name } = await addFile([aFact()]);
    await run('SELECT 1');
    const copy = inCopies(factObjectKey({ name }));
    writeFileSync(copy, Buffer.alloc(readFileSync(copy).length));
    expect(await ask(lake, folder, 'SELECT count(*) AS n FROM sessions')).toEqual([{ n: 1 }]);
  });

  test('a file of events that can not be read is named', async () => {
    const [key = ''] = await addEvents(aStoredEvent());
    lake.stored.set(key, Buffer.alloc(lake.stored.get(key)?.length ?? 0));
    const { code, err } = await run('SELECT 1');
    expect([code, err]).toEqual([1, expect.stringContaining(`'${key}'`)]);
  });

  test('half a copy that a kill left is copied again', async () => {
    await addEvents(aStoredEvent());
    await run('SELECT 1');
    const [copy = ''] = copies();
    writeFileSync(join(folder, 'tmp', 'query', copy), 'PAR1');
    expect(await ask(lake, folder, 'SELECT count(*) AS n FROM events')).toEqual([{ n: 1 }]);
  });

  test('a query keeps its files when another one, for which they are gone, takes their copies away', async () => {
    const [key = ''] = await addEvents(aStoredEvent());
    const bytes = lake.stored.get(key) ?? Buffer.of();
    const mine = await copyLake(folder, [{ key, bytes: bytes.length }], lake.objects);
    const other = await copyLake(folder, [], lake.objects);
    expect(existsSync(join(folder, key))).toBe(false);
    expect(readFileSync(join(mine.folder, key))).toEqual(Buffer.from(bytes));
    await mine.end();
    await other.end();
    expect(readdirSync(join(folder, 'runs'))).toEqual([]);
  });

  test('what killed queries left goes, what a living one holds stays', async () => {
    for (const name of [
      `runs/${2 ** 30}-a/events/x.parquet`,
      `runs/${process.pid}-b/events/y.parquet`,
      `parts/${2 ** 30}-c`,
    ]) {
      mkdirSync(dirname(inCopies(name)), { recursive: true });
      writeFileSync(inCopies(name), 'PAR1');
    }
    await run('SELECT 1');
    expect(copies()).toEqual([`runs/${process.pid}-b/events/y.parquet`]);
    expect(readdirSync(inCopies('parts'))).toEqual([]);
  });

  test('an object that is replaced while it is copied is looked up again', async () => {
    const [old = ''] = await addEvents(aStoredEvent());
    const { get } = lake.objects;
    lake.objects.get = async (key) => {
      if (key === old) {
        lake.stored.delete(old);
        await addEvents(aStoredEvent({ kind: 'start' }));
      }
      return get(key);
    };
    expect(await ask(lake, folder, 'SELECT kind FROM events')).toEqual([{ kind: 'start' }]);
  });

  test('objects with other names are not touched, wherever their names would lead', async () => {
    for (const key of ['events/arrival_date=2026-05-31/../../../x.parquet', 'events/readme.txt', 'facts/x/y.parquet'])
      lake.stored.set(key, Buffer.from('no Parquet'));
    expect(await ask(lake, folder, 'SELECT count(*) AS n FROM events')).toEqual([{ n: 0 }]);
    expect(lake.gets).toEqual([]);
  });

  test('a lake that is too large for a machine is refused before anything is copied', async () => {
    lake.objects.events = async function* () {
      yield { key: 'events/arrival_date=2026-05-31/a.parquet', bytes: 2_000_000_001 };
    };
    const { code, out, err } = await run('SELECT 1');
    expect([code, out, lake.gets]).toEqual([1, '', []]);
    expect(err).toMatch(/^The lake holds 2\.0 GB, .* Athena/);
  });
});
