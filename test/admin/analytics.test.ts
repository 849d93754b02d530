import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-kinesis';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test, vi } from 'vitest';
import { compactDue } from '../../shared/analytics/compaction/compact.ts';
import { compactBases } from '../../shared/analytics/compaction/compact-base.ts';
import { duckdbBaseRewriter } from '../../shared/analytics/compaction/duckdb-base-rewriter.ts';
import { s3SweptFacts } from '../../shared/analytics/compaction/s3-swept-facts.ts';
import { sweepFacts } from '../../shared/analytics/compaction/sweep-facts.ts';
import { s3SetAside } from '../../shared/analytics/events/s3-set-aside.ts';
import { sessionKey } from '../../shared/analytics/events/session-key.ts';
import type { StoredEvent } from '../../shared/analytics/events/stored-event.ts';
import { aggregate } from '../../shared/analytics/facts/aggregate.ts';
import { duckdbFactReader } from '../../shared/analytics/facts/duckdb-fact-reader.ts';
import { duckdbFactWriter } from '../../shared/analytics/facts/duckdb-fact-writer.ts';
import { dynamoFreshFacts } from '../../shared/analytics/facts/dynamo-fresh-facts.ts';
import { dynamoManifests } from '../../shared/analytics/facts/dynamo-manifests.ts';
import { decodeFacts } from '../../shared/analytics/facts/fact-codec.ts';
import { s3FactObjectReader, s3FactObjectWriter } from '../../shared/analytics/facts/s3-fact-objects.ts';
import { duckdbRawEventWriter } from '../../shared/analytics/lake/duckdb-raw-event-writer.ts';
import { keepRecords } from '../../shared/analytics/lake/keep-records.ts';
import { lakeErrors } from '../../shared/analytics/lake/lake-errors.ts';
import { s3LakeObjectWriter } from '../../shared/analytics/lake/s3-lake-objects.ts';
import { readOverview } from '../../shared/analytics/reads/overview.ts';
import { parquetCopies } from '../../shared/analytics/upkeep/parquet-copies.ts';
import { s3OldVersions } from '../../shared/analytics/upkeep/s3-old-versions.ts';
import { s3StoredObjects } from '../../shared/analytics/upkeep/s3-stored-objects.ts';
import { dynamo } from '../../shared/platform/clients.ts';
import { kinesis } from '../../shared/platform/kinesis.ts';
import { admin, aPublishedFunnel } from '../support/admin.ts';
import { useAnalyticsStores } from '../support/analytics-stores.ts';
import { aRecord } from '../support/events.ts';
import { aLine } from '../support/upkeep.ts';

const { root, stream } = useAnalyticsStores();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const now = Date.now();
const clockAt = (ms: number) => ({ now: () => ms });
const ports = {
  ...{ fresh: dynamoFreshFacts(clockAt(now - DAY_MS)), manifests: dynamoManifests(), clock: clockAt(now) },
  files: duckdbFactReader(s3FactObjectReader(), { folder: join(root, 'copies') }),
  writer: duckdbFactWriter(s3FactObjectWriter(), { folder: join(root, 'drafts') }),
};
const lake = {
  events: duckdbRawEventWriter(s3LakeObjectWriter(), { folder: join(root, 'raw') }),
  errors: lakeErrors(s3LakeObjectWriter()),
};
let records = 0;

/** As the stream brings them to both of its consumers. */
async function tell(...events: Partial<StoredEvent>[]): Promise<void> {
  const said = events.map((event, at) => aLine({ time_ms: now - HOUR_MS + at, received_ms: now - HOUR_MS, ...event }));
  await deliver(said.join(''));
}

async function deliver(data: string): Promise<void> {
  const record = aRecord(data, ++records);
  await aggregate({ fresh: ports.fresh, setAside: s3SetAside() }, [record]);
  await keepRecords(lake, [record]);
}

const minor = () => compactDue(ports);
const major = () => {
  const rewriter = duckdbBaseRewriter(
    { ...s3FactObjectReader(), ...s3FactObjectWriter() },
    { folder: join(root, 'bases') },
  );
  return compactBases({ ...ports, rewriter }, { isDue: () => true });
};
const sweep = () =>
  sweepFacts(
    { ...ports, files: s3SweptFacts(s3OldVersions('factsBucket')), clock: clockAt(Date.now() + 2 * HOUR_MS) },
    { timeLeftMs: () => HOUR_MS },
  );
const range = { since: 0, untilMs: now + DAY_MS, timeZone: 'UTC' };
const overview = (funnelId: string) => readOverview(ports, funnelId, { range, filters: {} });
const sessionsOf = async (funnelId: string) =>
  (await overview(funnelId)).devices.reduce((sum, { total }) => sum + total, 0);
const objects = () => s3StoredObjects('factsBucket');

/** Where a text stands, in whatever form: the names of objects and items, decoded. */
async function tracesOf(...texts: string[]): Promise<string[]> {
  const found: string[] = [];
  const look = (where: string, said: string) => {
    if (texts.some((text) => said.includes(text))) found.push(where);
  };
  const copies = parquetCopies(objects(), join(root, 'looked-into'));
  for await (const { key } of objects().list('')) {
    const said = key.endsWith('.parquet')
      ? await copies(key, async ({ connection, from }) => {
          const rows = await connection.runAndReadAll(`SELECT to_json(t)::VARCHAR FROM ${from} t`);
          return rows.getRows().flat().join('\n');
        })
      : Buffer.from((await objects().get(key)) ?? []).toString();
    const inside = Array.from(said?.matchAll(/"(?:data|rawData)":"([^"]*)"/g) ?? [], ([, base64 = '']) =>
      Buffer.from(base64, 'base64').toString(),
    );
    look(key.replace(/\/.*/, ''), `${key}${said}${inside}`);
  }
  for (const TableName of ['analytics', 'directory', 'leads', 'limits']) {
    const { Items = [] } = await dynamo().send(new ScanCommand({ TableName }));
    for (const item of Items) {
      const facts = item.facts instanceof Uint8Array ? decodeFacts(item.facts) : [];
      const said = JSON.stringify({ ...item, facts }, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
      look(`${TableName} ${String(item.sk).replace(/#.*/, '')}`, said);
    }
  }
  return [...new Set(found)].sort();
}

async function aFunnel() {
  const { id } = await aPublishedFunnel();
  return { id, say: (session: string, kind: string) => ({ funnel_id: id, session_id: session, kind }) };
}

describe('analytics erase', () => {
  test('0: no byte of a session is left, in no store; the others are as they were, and nothing brings it back', async () => {
    const { id, say } = await aFunnel();
    const SECRET = 'secret-session-😀';
    const key = String(sessionKey(id, SECRET));
    await tell(say(SECRET, 'view'), say('a', 'start'), say('b', 'view'));
    await minor();
    await major();
    await tell(say(SECRET, 'step_view'), say('a', 'complete'));
    await minor();
    await tell(say(SECRET, 'complete'), say('c', 'view'));
    const unreadable = `${aLine(say(SECRET, 'view'))}${aLine(say('d', 'view'))}{"half":`;
    await deliver(unreadable);
    expect(await tracesOf(SECRET)).toEqual(['errors', 'events', 'set-aside']);
    expect(await tracesOf(key)).toEqual([
      ...['analytics fresh', 'analytics manifest', 'errors', 'events', 'facts', 'set-aside'],
    ]);

    const args = ['analytics', 'erase', id, '--session', SECRET];
    const before = await overview(id);
    expect(await admin([...args, '--dry-run'])).toMatchObject({ code: 0, err: 'Nothing was changed.\n' });
    expect(await overview(id)).toEqual(before);
    expect(await admin(args)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    expect(await overview(id)).toEqual(before);

    const { code, out } = await admin([...args, '--yes', '--json']);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        ...{ sessions: 1, freshFacts: 1, factFiles: 2, facts: 2, unlistedFiles: 0, oldVersions: 0 },
        ...{ rawFiles: 3, events: 3, setAsideEvents: 1, unkeptEvents: 1 },
      },
    ]);
    const rest = await overview(id);
    expect(rest.overview).toEqual({ totalStarts: 1, totalCompletions: 1, conversionRate: 100 });
    expect(await sessionsOf(id)).toBe(3);
    await sweep();
    expect(await tracesOf(SECRET)).toEqual([]);
    expect(await tracesOf(key)).toEqual(['analytics erased']);

    await tell(say(SECRET, 'complete'));
    expect(await overview(id)).toEqual(rest);
    await minor();
    await major();
    expect(await overview(id)).toEqual(rest);
    await admin(['analytics', 'erase', id, '--yes']);
    await sweep();
    expect(await tracesOf(SECRET)).toEqual([]);
    expect(await tracesOf(key)).toEqual(['analytics erased']);
  }, 60_000);

  test('0: the copies that queries left go too; ids of which nothing is found are doubted', async () => {
    const { id, say } = await aFunnel();
    await tell(say('a', 'view'));
    const state = join(root, 'state');
    const copy = join(state, 'tmp', 'query', 'events', 'arrival_date=2026-05-31', 'x.parquet');
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, 'a');
    const erase = (...given: string[]) => admin(['analytics', 'erase', id, '--state', state, ...given]);
    expect((await erase('--session', 'b', '--dry-run')).err).toMatch(/^Nothing of these sessions was found: /);
    expect(existsSync(copy)).toBe(true);
    const { code, err } = await erase('--session', 'a', '--yes');
    expect([code, err]).toEqual([0, expect.not.stringContaining('Nothing of these')]);
    expect(existsSync(copy)).toBe(false);
  });

  test('0: a lead is its sessions', async () => {
    const { id, say } = await aFunnel();
    const lead = '3f1d7a55-0a7c-4a4e-9c53-6b0c4d3a9e11';
    await tell(say('a', 'view'), { ...say('a', 'complete'), payload: `{"lead_id":"${lead}"}` }, say('b', 'view'));
    const { out } = await admin(['analytics', 'erase', id, '--lead', lead, '--yes', '--json']);
    expect(JSON.parse(out)).toMatchObject({ sessions: 1, freshFacts: 1, events: 2 });
    expect(await tracesOf(lead)).toEqual([]);
    expect(await sessionsOf(id)).toBe(1);
  });

  test('1: a funnel that does not exist', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const command of ['status', 'erase', 'rebuild'])
      expect(await admin(['analytics', command, unknown])).toMatchObject({
        code: 1,
        err: `There is no funnel ${unknown}.\n`,
      });
  });
});

describe('analytics set-aside and redrive', () => {
  /** The records on the stream, oldest first. */
  async function onStream(): Promise<string[]> {
    const from = { StreamName: stream, ShardId: 'shardId-000000000000', ShardIteratorType: 'TRIM_HORIZON' as const };
    const { ShardIterator } = await kinesis().send(new GetShardIteratorCommand(from));
    const { Records = [] } = await kinesis().send(new GetRecordsCommand({ ShardIterator }));
    return Records.map(({ Data }) => Buffer.from(Data ?? []).toString());
  }

  test('0: what can be read by now goes onto the stream again, what can not stays, each with its reason', async () => {
    await admin(['analytics', 'redrive']);
    const { id, say } = await aFunnel();
    const good = aLine(say('a', 'view'));
    await s3SetAside().put(aRecord(good, ++records), 'It was not understood then.');
    await s3SetAside().put(aRecord('{"\u001b[31m', ++records), 'It is cut off.');
    const before = (await onStream()).length;

    const list = await admin(['analytics', 'set-aside', 'list']);
    expect(list.out).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}shardId-0+ \d+ {2}\S+ \w+ {2}It was not understood then\.$/m,
    );
    expect(list.err).toMatch(/^\d+ records set aside, /);
    const lines = (await admin(['analytics', 'set-aside', 'list', '--json'])).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).reason)).toEqual(
      expect.arrayContaining(['It was not understood then.', 'It is cut off.']),
    );

    const dry = await admin(['analytics', 'redrive', '--dry-run']);
    expect([dry.code, dry.err]).toEqual([0, expect.stringMatching(/^1 would be sent, \d+ can not be read/)]);
    expect(await onStream()).toHaveLength(before);

    const done = await admin(['analytics', 'redrive', '--json']);
    const outcomes = done.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).outcome);
    expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(1);
    expect(done.err).toMatch(/^1 sent onto the stream again, \d+ can not be read and stays? set aside\.\n$/);
    expect((await onStream()).slice(before)).toEqual([good]);
    expect((await admin(['analytics', 'set-aside', 'list'])).out).not.toContain('understood');
    expect((await admin(['analytics', 'redrive'])).err).toMatch(/^0 sent/);
    expect(await sessionsOf(id)).toBe(0);
  });

  test('the help says what is what', async () => {
    const { out } = await admin(['analytics', 'redrive', '--help']);
    expect(out).toMatch(/set-aside\/events\/.*errors\/events\//s);
  });
});

describe('analytics status', () => {
  test('0: what waits, what is in files, and what is to be seen to', async () => {
    const { id, say } = await aFunnel();
    await tell(say('a', 'view'), say('b', 'start'));
    await minor();
    await major();
    await tell(say('c', 'view'));
    await minor();
    await tell(say('d', 'view'), say('e', 'view'));
    await s3StoredObjects('factsBucket').put(
      `facts/funnel_id=${id}/01ARZ3NDEKTSV4RRFFQ69G5FAV.parquet`,
      Buffer.from('x'),
      '',
    );
    const { code, out } = await admin(['analytics', 'status', id, '--json']);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        fresh: { facts: 2, oldestMs: now - DAY_MS },
        amendments: { files: 1, sessions: 1, bytes: expect.any(Number), lastMs: expect.any(Number) },
        base: { files: 1, sessions: 2, bytes: expect.any(Number), lastMs: expect.any(Number) },
        ...{ completeUntilMs: now, version: 3, generation: 0, retired: 1, unlisted: { files: 1, bytes: 1 } },
        ...{ erasedSessions: 0, setAside: expect.any(Number), unkept: expect.any(Number) },
      },
    ]);
    const text = (await admin(['analytics', 'status', id])).out;
    expect(text).toMatch(/^fresh facts {5}2, the oldest for 2\d hours$/m);
    expect(text).toMatch(/^base {12}1 file, 2 sessions, .* KB; last written 20.* UTC$/m);
    expect(text).toMatch(/^unlisted {8}1 file, 1 bytes$/m);
  });

  test('0: a funnel without events', async () => {
    const { id } = await aFunnel();
    const { code, out } = await admin(['analytics', 'status', id]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^base {12}no files\ncomplete until {2}not known$/m)]);
  });
});

describe('analytics rebuild', () => {
  const tooEarly = /^The newest base file may hold what no raw file holds yet: try again in \d+ seconds/;

  test('1: a base that is too young is told of; nothing is changed', async () => {
    const { id, say } = await aFunnel();
    await tell(say('a', 'view'));
    await minor();
    await major();
    const before = await ports.manifests.read(id);
    expect(await admin(['analytics', 'rebuild', id, '--yes'])).toMatchObject({
      ...{ code: 1, out: '', err: expect.stringMatching(tooEarly) },
    });
    expect(await ports.manifests.read(id)).toEqual(before);
  });

  /** A funnel whose facts were compacted long ago, as far as names of files tell. */
  async function settled(...kinds: string[]) {
    const { id, say } = await aFunnel();
    await tell(...kinds.map((kind, at) => say(`s${at}`, kind)));
    // S3 takes no requests that are 15 minutes old.
    vi.useFakeTimers({ toFake: ['Date'], now: now - HOUR_MS / 6 });
    await minor();
    vi.useRealTimers();
    return { id, say };
  }

  test('0: facts made anew from Parquet files of raw events are those that were counted', async () => {
    const { id, say } = await settled('view', 'start', 'complete');
    await tell(say('s0', 'complete'));
    const before = await overview(id);
    const dry = await admin(['analytics', 'rebuild', id, '--dry-run']);
    expect([dry.code, dry.err]).toEqual([0, 'Nothing was changed.\n']);
    expect(dry.out).toBe(
      `              ONLY IN FACTS  ONLY IN RAW EVENTS
sessions                  0                   0
starts                    0                   1
completions               0                   1
first events              0                   0
3 sessions now, 3 rebuilt.
`,
    );
    expect((await ports.manifests.read(id)).generation).toBe(0);
    expect(await admin(['analytics', 'rebuild', id])).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    const { code, out } = await admin(['analytics', 'rebuild', id, '--yes', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { outcome: 'rebuilt', files: 1, replaced: 1, kept: 0 }]);
    expect(await overview(id)).toEqual(before);
    const { files, generation } = await ports.manifests.read(id);
    expect([files.map(({ level }) => level), generation]).toEqual([['base'], 1]);
    await minor();
    expect(await overview(id)).toEqual(before);
  });

  test('1: a loss is refused and explained; 0: unless it is accepted', async () => {
    const { id } = await settled('view', 'start');
    for await (const { key } of objects().list('events/')) {
      const rows = await parquetCopies(objects(), join(root, 'looked-into'))(key, async ({ connection, from }) =>
        (await connection.runAndReadAll(`SELECT 1 FROM ${from} WHERE funnel_id = '${id}'`)).getRows(),
      );
      if ((rows?.length ?? 0) > 0) await objects().removeForGood(key);
    }
    const before = await overview(id);
    const refused = await admin(['analytics', 'rebuild', id, '--yes']);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--accept-loss')]);
    expect(refused.out).toContain('2 sessions now, 0 rebuilt.');
    const json = await admin(['analytics', 'rebuild', id, '--yes', '--json']);
    expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { outcome: 'refused', comparison: { lost: 2 } }]);
    expect(await overview(id)).toEqual(before);
    expect((await admin(['analytics', 'rebuild', id, '--yes', '--accept-loss'])).code).toBe(0);
    expect(await sessionsOf(id)).toBe(0);
  });
});
