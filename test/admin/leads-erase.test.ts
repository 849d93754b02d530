import { beforeAll, describe, expect, test } from 'vitest';
import { aPersonAndOthers, EMAIL } from '../support/a-person.ts';
import { admin } from '../support/admin.ts';
import { useToldAnalytics } from '../support/told-analytics.ts';
import { everything, tracesOf } from '../support/traces.ts';

const { root, tell, minor } = useToldAnalytics();
beforeAll(() => void Object.assign(process.env, { UPLOADS_BUCKET: 'analytics' }));

type World = Awaited<ReturnType<typeof aPersonAndOthers>>;

const visit = (funnel: string, session: string, leadId?: string) => ({
  ...{ funnel_id: funnel, session_id: session, kind: 'view' },
  ...(leadId !== undefined && { payload: JSON.stringify({ lead_id: leadId }) }),
});

async function aVisitedWorld(): Promise<World> {
  const world = await aPersonAndOthers();
  const { shop, old, ada, before, bob } = world;
  await tell(visit(shop, 'session-of-ada'), visit(shop, 'session-of-bob', bob.leadId));
  await minor();
  await tell(visit(shop, 'session-of-ada', ada.leadId), visit(old, 'old-session-of-ada', before.leadId));
  return world;
}

/** What only the person left. */
const secretsOf = ({ ada, before, files }: World) => [
  ...['Ada Geheim', 'Ada.Secret@', EMAIL.toUpperCase(), 'hash-of-ada', 'session-of-ada'],
  ...['own file of Ada', 'earlier file of Ada', files.own.uuid, files.replaced.uuid],
  ...[ada.leadId, before.leadId],
];

describe('leads erase', () => {
  test('0: of a person nothing is left anywhere; of others everything', async () => {
    const world = await aVisitedWorld();
    const secrets = secretsOf(world);
    const names = (said: string) => secrets.some((secret) => said.includes(secret));
    const before = await everything(root);
    const dry = await admin(['leads', 'erase', world.org, '--email', EMAIL, '--dry-run', '--json']);
    expect(await everything(root)).toEqual(before);
    const done = await admin(['leads', 'erase', world.org, '--email', EMAIL, '--yes', '--json']);
    const { funnels, endsByItself, ...total } = JSON.parse(done.out);
    expect(total).toEqual({
      ...{ dryRun: false, lookedAt: 6, leads: 2, files: 2, sharedFiles: 1, sessions: 2, events: 3, facts: 3 },
    });
    expect({ ...JSON.parse(dry.out), dryRun: false, funnels, endsByItself }).toEqual(JSON.parse(done.out));
    const after = await everything(root);
    // That these ids were in use is known for a while, and nothing else of them.
    const known = [world.ada, world.before].flatMap(({ funnelId, leadId }) => [
      `leads lead#${funnelId}#${leadId} lead`,
      `analytics funnel#${funnelId} named#${leadId}`,
    ]);
    const named = [...after].filter(([, said]) => names(said)).map(([where]) => where);
    expect(named.sort()).toEqual(known.sort());
    for (const where of known) expect(after.get(where)).not.toMatch(/Ada|secret|hash/i);
    for (const [where, said] of before) {
      if (!names(said) && !/manifest|fresh|facts/.test(where)) expect([where, after.get(where)]).toEqual([where, said]);
    }
    expect(after.get(`directory org#${world.org} upload#${world.files.shared.uuid}`)).toContain(world.bob.leadId);
    for (const others of ['bytes of file of both', 'session-of-bob', 'Bob'])
      expect([others, await tracesOf(root, others)]).toEqual([others, expect.arrayContaining([expect.anything()])]);
    const again = await admin(['leads', 'erase', world.org, '--email', EMAIL, '--yes']);
    expect(again).toMatchObject({ code: 0, out: '', err: expect.stringContaining('Nothing was found') });
  }, 60_000);
});
