import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { downloadLake } from '../../../../infra/cli/query/download-lake.ts';
import { LAKE_VIEWS } from '../../../../infra/lake-views/views.ts';
import { sessionKey as keyOf } from '../../../../shared/analytics/events/session-key.ts';
import { factObjectKey } from '../../../../shared/analytics/facts/fact-files.ts';
import { aFact, DAY_MS, MAY_31 } from '../../../support/analytics/analytics.ts';
import { FUNNEL } from '../../../support/analytics/duckdb-fact-store.ts';
import { aStoredEvent } from '../../../support/analytics/lake.ts';
import { useLake } from '../../../support/cli/query.ts';

const { lake, folder, run, ask, inCopies, copies, addFile, addEvents } = useLake();

test('an empty lake has views without rows', async () => {
  for (const { name } of LAKE_VIEWS) expect(await ask(`FROM ${name}`)).toEqual([]);
  expect(await ask('FROM facts')).toEqual([]);
  expect(await ask('FROM raw_events')).toEqual([]);
});

test('`sessions` has one row for a session in several files; `events` has one row for an event that is stored twice', async () => {
  const start = aFact({ sessionKey: 7n, started: true, firstTimeMs: MAY_31 + 5 });
  await addFile([aFact({ sessionKey: 7n, utmSource: 'first' }), aFact({ sessionKey: 8n })]);
  await addFile([start], MAY_31 + DAY_MS);
  await addFile([start]);
  const [sessions] = await ask(
    'SELECT funnel_id, count(*) AS n, count_if(started) AS starts, max(utm_source) AS source, ' +
      'max(complete_until) AS until FROM sessions GROUP BY funnel_id',
  );
  expect(sessions).toEqual({ funnel_id: FUNNEL, n: 2, starts: 1, source: 'first', until: '2026-06-01 00:00:00' });
  const event = aStoredEvent();
  await addEvents(event, { ...event, received_ms: event.received_ms + DAY_MS });
  await addEvents(event);
  expect(await ask('SELECT count(*) AS n FROM raw_events')).toEqual([{ n: 3 }]);
  expect(await ask('SELECT count(*) AS n FROM events')).toEqual([{ n: 1 }]);
  expect(await ask('SELECT DISTINCT arrival_date FROM raw_events ORDER BY 1')).toEqual([
    { arrival_date: '2026-05-31' },
    { arrival_date: '2026-06-01' },
  ]);
});

test('a query ignores fact files that the manifest no longer lists, and deletes their local copies', async () => {
  const erased = await addFile([aFact({ sessionKey: 1n })]);
  await addFile([aFact({ sessionKey: 2n })]);
  expect(await ask('SELECT count(*) AS n FROM sessions')).toEqual([{ n: 2 }]);
  const read = await lake().manifests.read(FUNNEL);
  const files = read.files.filter(({ name }) => name !== erased.name);
  await lake().manifests.replaceIfUnchanged(FUNNEL, read, { ...read, files, generation: 1 });
  expect(await ask('SELECT session_key FROM sessions')).toEqual([{ session_key: 2 }]);
  expect(copies()).toHaveLength(1);
});

test('a query downloads no file with an intact local copy, and deletes copies of files that the lake no longer has', async () => {
  const [key = ''] = await addEvents(aStoredEvent());
  await addFile([aFact()]);
  await run('SELECT 1');
  await run('SELECT 1');
  expect(lake().gets).toHaveLength(2);
  lake().stored.delete(key);
  expect(await ask('SELECT count(*) AS n FROM events')).toEqual([{ n: 0 }]);
  expect(copies().filter((name) => name.startsWith('events'))).toEqual([]);
});

test('no view contains late events of an erased session, although files still contain them', async () => {
  const late = aStoredEvent({ session_id: 'erased', kind: 'step_submit', step_id: 'late', step_index: 1 });
  await addEvents(aStoredEvent(), late);
  const sessionKey = keyOf(late.funnel_id, late.session_id);
  await addFile([aFact({ sessionKey }), aFact({ sessionKey: 8n })]);
  lake().erased.push({ funnelId: late.funnel_id, sessionKey, sinceMs: MAY_31 });
  expect(await ask('SELECT session_id FROM events')).toEqual([{ session_id: 'session-1' }]);
  expect(await ask(`SELECT * FROM funnel_steps WHERE step_id = 'late'`)).toEqual([]);
  expect(await ask('SELECT session_key FROM sessions')).toEqual([{ session_key: 8 }]);
});

test('1: a query fails while a fact file is damaged or missing; it succeeds after the file is restored', async () => {
  const { name } = await addFile([aFact({ sessionKey: 1n }), aFact({ sessionKey: 2n })]);
  const key = factObjectKey({ name });
  const bytes = Buffer.from(lake().stored.get(key) ?? []);
  const damaged = Buffer.from(bytes);
  damaged.writeUInt8(damaged.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  lake().stored.set(key, damaged);
  expect(await run('SELECT count(*) FROM sessions')).toMatchObject({ code: 1, out: '' });
  expect((await run('SELECT 1')).err).toMatch(new RegExp(`^The file ${key} is damaged in the bucket\\.`));
  lake().stored.delete(key);
  expect(await run('SELECT count(*) FROM sessions')).toMatchObject({ code: 1, out: '' });
  expect((await run('SELECT 1')).err).toBe(
    `The query was not run, because its result would be incomplete. The file ${key} is missing.\n`,
  );
  lake().stored.set(key, bytes);
  expect(await ask('SELECT count(*) AS n FROM sessions')).toEqual([{ n: 2 }]);
});

test('a query downloads a fact file again if its local copy is damaged', async () => {
  const { name } = await addFile([aFact()]);
  await run('SELECT 1');
  const copy = inCopies(factObjectKey({ name }));
  writeFileSync(copy, Buffer.alloc(readFileSync(copy).length));
  expect(await ask('SELECT count(*) AS n FROM sessions')).toEqual([{ n: 1 }]);
});

test('1: the error names a raw event file that cannot be read', async () => {
  const [key = ''] = await addEvents(aStoredEvent());
  lake().stored.set(key, Buffer.alloc(lake().stored.get(key)?.length ?? 0));
  const { code, err } = await run('SELECT 1');
  expect([code, err]).toEqual([1, expect.stringContaining(`'${key}'`)]);
});

test('a query downloads a file again if its local copy is incomplete', async () => {
  await addEvents(aStoredEvent());
  await run('SELECT 1');
  const [copy = ''] = copies();
  writeFileSync(inCopies(copy), 'PAR1');
  expect(await ask('SELECT count(*) AS n FROM events')).toEqual([{ n: 1 }]);
});

test('if a query deletes local copies of files, a query that is already running can still read these files', async () => {
  const [key = ''] = await addEvents(aStoredEvent());
  const bytes = lake().stored.get(key) ?? Buffer.of();
  const mine = await downloadLake(folder(), [{ key, bytes: bytes.length }], lake().objects);
  const other = await downloadLake(folder(), [], lake().objects);
  expect(existsSync(join(folder(), key))).toBe(false);
  expect(readFileSync(join(mine.folder, key))).toEqual(Buffer.from(bytes));
  await mine.end();
  await other.end();
  expect(readdirSync(join(folder(), 'runs'))).toEqual([]);
});

test('1: if the tombstones of sessions cannot be read, a query fails and leaves no folder in `runs`', async () => {
  await addEvents(aStoredEvent());
  lake().erasures.listAllSessions = () => Promise.reject(new Error('The tombstones cannot be read.'));
  expect(await run('SELECT 1')).toMatchObject({
    code: 1,
    err: expect.stringContaining('The tombstones cannot be read.'),
  });
  expect(readdirSync(inCopies('runs'))).toEqual([]);
});

test('a query deletes the local files of ended processes, and keeps the files of running processes', async () => {
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

test('a query lists the files again if a listed file is replaced before it is downloaded', async () => {
  const [old = ''] = await addEvents(aStoredEvent());
  const { get } = lake().objects;
  lake().objects.get = async (key) => {
    if (key === old) {
      lake().stored.delete(old);
      await addEvents(aStoredEvent({ kind: 'start' }));
    }
    return get(key);
  };
  expect(await ask('SELECT kind FROM events')).toEqual([{ kind: 'start' }]);
});

test('a query ignores an object if its key does not have the format of raw event files, for example with “..”', async () => {
  for (const key of ['events/arrival_date=2026-05-31/../../../x.parquet', 'events/readme.txt', 'facts/x/y.parquet'])
    lake().stored.set(key, Buffer.from('no Parquet'));
  expect(await ask('SELECT count(*) AS n FROM events')).toEqual([{ n: 0 }]);
  expect(lake().gets).toEqual([]);
});

test('1: a query of a lake of more than 2 GB fails and downloads nothing', async () => {
  lake().objects.events = async function* () {
    yield { key: 'events/arrival_date=2026-05-31/a.parquet', bytes: 2_000_000_001 };
  };
  const { code, out, err } = await run('SELECT 1');
  expect([code, out, lake().gets]).toEqual([1, '', []]);
  expect(err).toMatch(/^The lake contains 2\.0 GB, .* Athena/);
});
