import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sweepFactFiles } from '../../../../shared/analytics/compaction/sweep-fact-files.ts';
import { sessionKey } from '../../../../shared/analytics/events/session-key.ts';
import { createS3FactFileRemover } from '../../../../shared/analytics/facts/aws/s3-fact-files.ts';
import { createS3NoncurrentVersions } from '../../../../shared/platform/aws/s3-noncurrent-versions.ts';
import { aLine } from '../../../support/analytics/memory-stores.ts';
import { aFunnel, HOUR_MS, useAnalyticsPipeline } from '../../../support/analytics/use-analytics-pipeline.ts';
import { admin } from '../../../support/cli/admin.ts';
import { findStoredTexts as traces } from '../../../support/stored-personal-data.ts';

const { root, tell, deliver, minor, major, overview, sessionsOf, ports } = useAnalyticsPipeline();
const sweep = () =>
  sweepFactFiles(
    {
      ...ports,
      fileStore: createS3FactFileRemover(createS3NoncurrentVersions('factsBucket')),
      clock: { now: () => Date.now() + 2 * HOUR_MS },
    },
    { remainingMs: () => HOUR_MS },
  );

const tracesOf = (...texts: string[]) => traces(root, ...texts);

describe('analytics erase', () => {
  test('0: erases a session from every store, keeps other sessions, and no compaction restores it', async () => {
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
        sessions: 1,
        requestedSessions: 1,
        freshFacts: 1,
        factFiles: 2,
        facts: 2,
        unlistedFiles: 0,
        oldVersions: 0,
        rawFiles: 3,
        events: 3,
        deadLetterEvents: 1,
        deliveryErrorEvents: 1,
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

  test('0: deletes the local copies that "npm run query" made, except in a dry run', async () => {
    const { id, say } = await aFunnel();
    await tell(say('a', 'view'));
    const state = join(root, 'state');
    const copy = join(state, 'tmp', 'query', 'events', 'arrival_date=2026-05-31', 'x.parquet');
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, 'a');
    const erase = (...given: string[]) => admin(['analytics', 'erase', id, '--state', state, ...given]);
    expect((await erase('--session', 'b', '--dry-run')).err).toMatch(/^No data of these sessions was found: /);
    expect(existsSync(copy)).toBe(true);
    const { code, err } = await erase('--session', 'a', '--yes');
    expect([code, err]).toEqual([0, expect.not.stringContaining('No data of these sessions was found')]);
    expect(existsSync(copy)).toBe(false);
  });

  test('0: a dry run without a selection counts late events of erased sessions; with --session, only that session', async () => {
    const { id, say } = await aFunnel();
    await tell(say('a', 'view'), say('b', 'view'));
    const erase = (...given: string[]) => admin(['analytics', 'erase', id, '--json', ...given]);
    await erase('--session', 'a', '--yes');
    await tell(say('a', 'complete'));
    const selected = await erase('--session', 'nope', '--dry-run');
    expect([selected.code, JSON.parse(selected.out)]).toMatchObject([
      0,
      { sessions: 1, requestedSessions: 1, freshFacts: 0, facts: 0, events: 0 },
    ]);
    const empty = await erase('--dry-run');
    expect([empty.code, JSON.parse(empty.out)]).toMatchObject([0, { sessions: 1, requestedSessions: 0, events: 1 }]);
  });

  test('0: --lead erases the sessions with an event that names the lead', async () => {
    const { id, say } = await aFunnel();
    const lead = '3f1d7a55-0a7c-4a4e-9c53-6b0c4d3a9e11';
    await tell(say('a', 'view'), { ...say('a', 'complete'), payload: `{"lead_id":"${lead}"}` }, say('b', 'view'));
    const { code, out } = await admin(['analytics', 'erase', id, '--lead', lead, '--yes', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { sessions: 1, freshFacts: 1, events: 2 }]);
    // The tombstone of the lead stays, because it identifies late events of the lead.
    expect(await tracesOf(lead)).toEqual(['analytics named']);
    expect(await sessionsOf(id)).toBe(1);
  });
});
