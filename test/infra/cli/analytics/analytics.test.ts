import { join } from 'node:path';
import { GetRecordsCommand, GetShardIteratorCommand } from '@aws-sdk/client-kinesis';
import { describe, expect, test, vi } from 'vitest';
import { createS3DeadLetterStore } from '../../../../shared/analytics/ingest/aws/s3-dead-letters.ts';
import { createParquetDownloader } from '../../../../shared/analytics/raw-events/duckdb/parquet-downloader.ts';
import { kinesisClient } from '../../../../shared/platform/aws/kinesis-client.ts';
import { createS3ObjectStore } from '../../../../shared/platform/aws/s3-object-store.ts';
import { aRecord } from '../../../support/analytics/events.ts';
import { aLine } from '../../../support/analytics/memory-stores.ts';
import { aFunnel, DAY_MS, HOUR_MS, useAnalyticsPipeline } from '../../../support/analytics/use-analytics-pipeline.ts';
import { admin } from '../../../support/cli/admin.ts';

const { root, stream, now, ports, tell, minor, major, overview, sessionsOf } = useAnalyticsPipeline();
const objects = () => createS3ObjectStore('factsBucket');
let sequence = 0;

test('1: the commands status, erase and rebuild fail for an unknown funnel', async () => {
  const unknown = '00000000-0000-4000-8000-000000000000';
  for (const command of ['status', 'erase', 'rebuild'])
    expect(await admin(['analytics', command, unknown])).toMatchObject({
      code: 1,
      err: `There is no funnel ${unknown}: see "funnels list".\n`,
    });
});

describe('analytics dead-letters and redrive', () => {
  /** The texts of the records on the stream, oldest first. */
  async function onStream(): Promise<string[]> {
    const from = { StreamName: stream, ShardId: 'shardId-000000000000', ShardIteratorType: 'TRIM_HORIZON' as const };
    const { ShardIterator } = await kinesisClient().send(new GetShardIteratorCommand(from));
    const { Records = [] } = await kinesisClient().send(new GetRecordsCommand({ ShardIterator }));
    return Records.map(({ Data }) => Buffer.from(Data ?? []).toString());
  }

  test('0: "redrive" sends the records that are readable now, and keeps the unreadable records', async () => {
    await admin(['analytics', 'redrive']);
    const { id, say } = await aFunnel();
    const good = aLine(say('a', 'view'));
    await createS3DeadLetterStore().put(aRecord(good, ++sequence), 'It was not understood then.');
    await createS3DeadLetterStore().put(aRecord('{"\u001b[31m', ++sequence), 'It is cut off.');
    const before = (await onStream()).length;

    const list = await admin(['analytics', 'dead-letters', 'list']);
    expect(list.out).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}shardId-0+\/\d+ {2}\S+ \w+ {2}It was not understood then\.$/m,
    );
    expect(list.err).toMatch(/^\d+ dead letters, /);
    const lines = (await admin(['analytics', 'dead-letters', 'list', '--json'])).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).reason)).toEqual(
      expect.arrayContaining(['It was not understood then.', 'It is cut off.']),
    );

    const dry = await admin(['analytics', 'redrive', '--dry-run']);
    expect([dry.code, dry.err]).toEqual([
      0,
      expect.stringMatching(/^1 dead letter would be sent, \d+ cannot be decoded/),
    ]);
    expect(await onStream()).toHaveLength(before);

    const done = await admin(['analytics', 'redrive', '--json']);
    expect(done.code).toBe(0);
    const outcomes = done.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).outcome);
    expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(1);
    expect(done.err).toMatch(/^1 dead letter sent to the stream again, \d+ cannot be decoded and stays?\.\n/);
    expect((await onStream()).slice(before)).toEqual([good]);
    const left = (await admin(['analytics', 'dead-letters', 'list'])).out;
    expect(left).not.toContain('understood');
    expect(left).toContain('It is cut off.');
    expect((await admin(['analytics', 'redrive'])).err).toMatch(/^0 dead letters sent/);
    expect(await sessionsOf(id)).toBe(0);
  });

  test('"show" prints the content of a record; "discard" deletes a readable record only if --readable is given', async () => {
    const { say } = await aFunnel();
    const [bad, good] = [++sequence, ++sequence];
    await createS3DeadLetterStore().put(aRecord('{"cut \u001b[31m', bad), 'It is cut off.');
    await createS3DeadLetterStore().put(aRecord(aLine(say('a', 'view')), good), 'It was not understood then.');
    const ids = (await admin(['analytics', 'dead-letters', 'list', '--json'])).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id as string);
    const idOf = (sequence: number) => ids.find((id) => id.endsWith(String(sequence).padStart(20, '0'))) ?? '';
    const deadLetters = (...args: string[]) => admin(['analytics', 'dead-letters', ...args]);

    const { out } = await deadLetters('show', idOf(bad));
    expect(out).toContain('It is cut off.');
    expect(out).toContain('{"cut \\u001b[31m');
    const { data } = JSON.parse((await deadLetters('show', idOf(bad), '--json')).out);
    expect(Buffer.from(data, 'base64').toString()).toBe('{"cut \u001b[31m');
    expect((await deadLetters('show', idOf(good))).out).toContain('readable: send it to the stream with');

    expect(await deadLetters('discard', idOf(bad), idOf(good), '--yes')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(idOf(good)),
    });
    expect(await deadLetters('discard', idOf(bad))).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    expect((await deadLetters('discard', idOf(bad), '--yes')).out).toMatch(/^discarded .* It is cut off\.$/m);
    expect((await deadLetters('discard', idOf(good), '--readable', '--yes')).code).toBe(0);
    const left = (await deadLetters('list')).out;
    for (const id of [idOf(bad), idOf(good)]) expect(left).not.toContain(id);
    expect(await deadLetters('show', idOf(bad))).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no dead letter'),
    });
  });

  test('the help of "redrive" says where dead letters and delivery errors are stored', async () => {
    const { out } = await admin(['analytics', 'redrive', '--help']);
    expect(out).toMatch(/set-aside\/events\/.*errors\/events\//s);
  });
});

describe('analytics status', () => {
  test('0: reports fresh facts, the files of each level, and unlisted files', async () => {
    const { id, say } = await aFunnel();
    await tell(say('a', 'view'), say('b', 'start'));
    await minor();
    await major();
    await tell(say('c', 'view'));
    await minor();
    await tell(say('d', 'view'), say('e', 'view'));
    await createS3ObjectStore('factsBucket').put(
      `facts/funnel_id=${id}/01ARZ3NDEKTSV4RRFFQ69G5FAV.parquet`,
      Buffer.from('x'),
      '',
    );
    const { code, out } = await admin(['analytics', 'status', id, '--json']);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        fresh: { facts: 2, oldestMs: now - DAY_MS },
        level1: { files: 1, sessions: 1, bytes: expect.any(Number), lastMs: expect.any(Number) },
        base: { files: 1, sessions: 2, bytes: expect.any(Number), lastMs: expect.any(Number) },
        completeUntilMs: now,
        version: 3,
        generation: 0,
        retired: 1,
        unlisted: { files: 1, bytes: 1 },
        erasedSessions: 0,
        deadLetters: expect.any(Number),
        deliveryErrors: expect.any(Number),
      },
    ]);
    const text = (await admin(['analytics', 'status', id])).out;
    expect(text).toMatch(/^fresh facts {6}2, the oldest stored 2\d hours ago$/m);
    expect(text).toMatch(/^base {13}1 file, 2 sessions, .* KB; last written 20.* UTC$/m);
    expect(text).toMatch(/^unlisted {9}1 file, 1 bytes$/m);
  });

  test('0: reports “no files” and “complete until: not known” for a funnel without events', async () => {
    const { id } = await aFunnel();
    const { code, out } = await admin(['analytics', 'status', id]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^base {13}no files\ncomplete until {3}not known$/m)]);
  });
});

describe('analytics rebuild', () => {
  const tooEarly = /^The newest base file may contain events that no raw file contains yet: try again in \d+ seconds/;

  test('1: if the newest base file is too recent, changes nothing and says when to try again', async () => {
    const { id, say } = await aFunnel();
    await tell(say('a', 'view'));
    await minor();
    await major();
    const before = await ports.manifests.read(id);
    expect(await admin(['analytics', 'rebuild', id, '--yes'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(tooEarly),
    });
    expect(await ports.manifests.read(id)).toEqual(before);
  });

  /** A funnel whose facts were compacted ten minutes ago, according to the file names. */
  async function settled(...kinds: string[]) {
    const { id, say } = await aFunnel();
    await tell(...kinds.map((kind, at) => say(`s${at}`, kind)));
    // Sets the clock back by only ten minutes, because S3 rejects a request that is more than 15 minutes old.
    vi.useFakeTimers({ toFake: ['Date'], now: now - HOUR_MS / 6 });
    await minor();
    vi.useRealTimers();
    return { id, say };
  }

  test('0: if the raw events of a funnel are complete, a rebuild does not change its overview', async () => {
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
3 sessions now, 3 after the rebuild.
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

  test('1: refuses a rebuild that would lose sessions, and reports their number; 0: rebuilds with --accept-loss', async () => {
    const { id } = await settled('view', 'start');
    for await (const { key } of objects().list('events/')) {
      const rows = await createParquetDownloader(objects(), join(root, 'looked-into'))(
        key,
        async ({ connection, from }) =>
          (await connection.runAndReadAll(`SELECT 1 FROM ${from} WHERE funnel_id = '${id}'`)).getRows(),
      );
      if ((rows?.length ?? 0) > 0) await objects().deleteAllVersions(key);
    }
    const before = await overview(id);
    const refused = await admin(['analytics', 'rebuild', id, '--yes']);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--accept-loss')]);
    expect(refused.out).toContain('2 sessions now, 0 after the rebuild.');
    const json = await admin(['analytics', 'rebuild', id, '--yes', '--json']);
    expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { outcome: 'refused', comparison: { lost: 2 } }]);
    expect(await overview(id)).toEqual(before);
    expect((await admin(['analytics', 'rebuild', id, '--yes', '--accept-loss'])).code).toBe(0);
    expect(await sessionsOf(id)).toBe(0);
  });
});
