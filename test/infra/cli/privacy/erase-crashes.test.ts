import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createDynamoRewriteLease } from '../../../../shared/analytics/erasure/aws/rewrite-lease.ts';
import { aPersonAndOthers, EMAIL, namedIn, tombstonesOf } from '../../../support/a-person.ts';
import { useAnalyticsPipeline } from '../../../support/analytics/use-analytics-pipeline.ts';
import { admin } from '../../../support/cli/admin.ts';
import { readStoredData } from '../../../support/stored-personal-data.ts';

const { root, tell, minor } = useAnalyticsPipeline();
beforeAll(() => void Object.assign(process.env, { UPLOADS_BUCKET: 'analytics' }));

type Sent = { constructor: { name: string }; input: { TableName?: string; Key?: unknown; Item?: { sk?: unknown } } };
type Send = (this: unknown, command: Sent, ...rest: unknown[]) => Promise<unknown>;

/** Matches effects on sessions. `erase-sessions-crashes.test.ts` tests crashes at these effects. */
const ANALYTICS_OWN = /facts|manifest|erased|turn|BatchWrite|PutObjectCommand events/;

/** The prototype from which all AWS clients inherit `send`. */
const clients: { send: Send } = Object.getPrototypeOf(S3Client.prototype);
const send = clients.send;
afterEach(() => {
  clients.send = send;
});

/**
 * Names an effect by the command, the table or object, and the first part of the sort key. The tombstone of a lead, for
 * example, is `PutCommand analytics named`. Returns undefined for reads.
 */
function effectOf({ constructor: { name }, input }: Sent): string | undefined {
  if (!/^(Put|Update|Delete|BatchWrite)/.test(name)) return undefined;
  const key = typeof input.Key === 'string' ? input.Key.replace(/\/.*/, '').replace(/^[0-9a-f-]{36}$/, 'file') : '';
  const { sk } = input.Item ?? Object(input.Key);
  return `${name} ${input.TableName ?? ''}${key} ${typeof sk === 'string' ? sk.replace(/#.*/, '') : ''}`;
}

/** Reports every effect to an observer. If the observer throws, every later request throws, as if the process died. */
function watched(see: (effect: string, when: 'before' | 'after') => void): void {
  let dead = false;
  const seen = (effect: string, when: 'before' | 'after') => {
    try {
      see(effect, when);
    } catch (error) {
      dead = true;
      throw error;
    }
  };
  clients.send = async function (command, ...rest) {
    if (dead) throw new Error('killed');
    const effect = effectOf(command);
    if (effect !== undefined) seen(effect, 'before');
    const answer = await send.call(this, command, ...rest);
    if (effect !== undefined) seen(effect, 'after');
    return answer;
  };
}

async function aVisitedWorld() {
  const world = await aPersonAndOthers();
  const { shop, ada, bob } = world;
  const visit = (session: string, leadId: string) => ({
    funnel_id: shop,
    session_id: session,
    kind: 'view',
    payload: JSON.stringify({ lead_id: leadId }),
  });
  await tell(visit('a', ada.leadId), visit('b', bob.leadId));
  await minor();
  await tell(visit('a', ada.leadId));
  return world;
}

/** Frees the lease of the killed command, which would otherwise expire only after a minute without a heartbeat. */
async function freeLease(): Promise<void> {
  const record = createDynamoRewriteLease();
  await record.tryAcquire(await record.read(), { holder: '', heartbeatId: 'over' });
}

const erase = (org: string) => admin(['privacy', 'erase', org, '--email', EMAIL, '--yes']);

test('if "privacy erase" crashes at any kind of write, a second run erases the data of the person and no other data', async () => {
  const effects = new Set<string>();
  const { org } = await aVisitedWorld();
  watched((effect) => void effects.add(effect));
  expect((await erase(org)).code).toBe(0);
  clients.send = send;
  const ours = [...effects].filter((effect) => !ANALYTICS_OWN.test(effect));
  expect(ours).toHaveLength(8);
  for (const [at, effect] of ours.entries()) {
    const world = await aVisitedWorld();
    const dieWhen = at % 2 === 0 ? 'before' : 'after';
    watched((seen, when) => {
      if (seen === effect && when === dieWhen) throw new Error('killed');
    });
    const killed = await erase(world.org);
    clients.send = send;
    expect([effect, killed.code]).toEqual([effect, 1]);
    await freeLease();
    expect([effect, (await erase(world.org)).code]).toEqual([effect, 0]);
    expect([effect, await namedIn(root, world)]).toEqual([effect, tombstonesOf(world)]);
    const others = await readStoredData(root);
    for (const { uuid, storagePath } of [world.files.shared, world.files.bobs]) {
      expect([effect, others.get(storagePath)]).toEqual([effect, expect.stringContaining('bytes of')]);
      expect(others.get(`uploads org#${world.org} upload#${uuid}`)).toContain(world.bob.leadId);
    }
    expect([...others.values()].filter((text) => text.includes(world.bob.leadId)).length).toBeGreaterThan(3);
  }
}, 300_000);
