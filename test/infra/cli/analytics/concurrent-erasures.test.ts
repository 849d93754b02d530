import { beforeAll, describe, expect, test } from 'vitest';
import { aFunnelOf, anOrganization, storeLead } from '../../../support/a-person.ts';
import { aFunnel, useAnalyticsPipeline } from '../../../support/analytics/use-analytics-pipeline.ts';
import { admin } from '../../../support/cli/admin.ts';
import { findStoredTexts } from '../../../support/stored-personal-data.ts';

const { root, tell, sessionsOf } = useAnalyticsPipeline();
beforeAll(() => void Object.assign(process.env, { UPLOADS_BUCKET: 'analytics' }));

const WAITS = /Waiting for privacy erase on .*, process \d+, since .*change events.*\n.*\d\d:\d\d:\d\d UTC/;
const PEOPLE = [0, 1, 2];

describe('concurrent erasures', () => {
  test('0: three commands erase the data of three people in the same files, and each reports its own counts', async () => {
    const org = await anOrganization();
    const shop = await aFunnelOf(org);
    const leads = await Promise.all(PEOPLE.map((at) => storeLead(shop, { email: `p${at}@shop.example` })));
    const events = leads.flatMap(({ leadId }, at) => {
      const of = { funnel_id: shop, session_id: `session-of-${at}` };
      return [
        { ...of, kind: 'view' },
        { ...of, kind: 'start' },
        { ...of, kind: 'complete', payload: `{"lead_id":"${leadId}"}` },
      ];
    });
    await tell(...events, { funnel_id: shop, session_id: 'another-session', kind: 'view' });
    const erased = await Promise.all(
      PEOPLE.map((at) => admin(['privacy', 'erase', org, '--email', `p${at}@shop.example`, '--yes', '--json'])),
    );
    expect(erased.map(({ code, err }) => [code, err.includes('Not erased:')])).toEqual(PEOPLE.map(() => [0, false]));
    const counts = erased.map(({ out }) => JSON.parse(out));
    expect(counts.map(({ leads, sessions, events, facts }) => ({ leads, sessions, events, facts }))).toEqual(
      PEOPLE.map(() => ({ leads: 1, sessions: 1, events: 3, facts: 1 })),
    );
    expect(await findStoredTexts(root, ...PEOPLE.map((at) => `session-of-${at}`))).toEqual([]);
    expect(await findStoredTexts(root, 'another-session')).toEqual(['events']);
    expect(await sessionsOf(shop)).toBe(1);
    // The timing decides which commands wait. A command that waits prints one note. Other commands print none.
    for (const { err } of erased) expect(err.split(WAITS).length - 1).toBeLessThanOrEqual(1);
  }, 60_000);

  test('0: two commands erase sessions of two funnels whose events are in one file', async () => {
    const [one, other] = [await aFunnel(), await aFunnel()];
    await tell(one.say('session-a', 'view'), other.say('session-b', 'view'), one.say('session-c', 'view'));
    const erase = (id: string, session: string) =>
      admin(['analytics', 'erase', id, '--session', session, '--yes', '--json']);
    const both = await Promise.all([erase(one.id, 'session-a'), erase(other.id, 'session-b')]);
    expect(both.map(({ code, out }) => [code, JSON.parse(out).events])).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(await findStoredTexts(root, 'session-a', 'session-b')).toEqual([]);
    expect(await findStoredTexts(root, 'session-c')).toEqual(['events']);
  }, 60_000);
});
