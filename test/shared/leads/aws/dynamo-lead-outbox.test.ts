import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDynamoLeadErasureRepository } from '../../../../shared/leads/aws/dynamo-lead-erasure-repository.ts';
import { createDynamoLeadOutbox } from '../../../../shared/leads/aws/dynamo-lead-outbox.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { createDynamoLeadVerificationRepository } from '../../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import { leadItemKey } from '../../../../shared/leads/aws/lead-item.ts';
import { shardOfLead } from '../../../../shared/leads/index-shards.ts';
import type { LeadKey } from '../../../../shared/leads/lead.ts';
import type { ChangedLead } from '../../../../shared/leads/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadChange, aLeadKey, DAY_MS, NOON } from '../../../support/leads/lead-repository.ts';
import { aLeadChangeOf, documents, readLeadItem, storeLead } from '../../../support/leads/stored-leads.ts';

const { callsOf } = useDynamo();

const SECOND = 1_000;
const MINUTE = 60_000;
const clock = { ms: NOON, now: () => clock.ms };
const outbox = createDynamoLeadOutbox(clock);
const leads = createDynamoLeadRepository();
const erasures = createDynamoLeadErasureRepository(clock);

const iso = (ms: number) => new Date(ms).toISOString();
const update = (key: LeadKey, atMs: number) => leads.merge(key, aLeadChangeOf({ at: atMs }, { atMs }));
const submitLastStep = (key: LeadKey, atMs: number) => leads.merge(key, aLeadChange({ atMs, isValidLastStep: true }));

/** Stores another verification state. */
async function replaceVerification(key: LeadKey, atMs: number, isVerification: boolean): Promise<boolean> {
  const { verification } = await readLeadItem(key);
  const before = verification === undefined ? undefined : String(verification);
  const after = JSON.stringify({ revision: before?.length ?? 0, before, verified: [] });
  const credentials = { ...key, tokenHash: aLeadChange().tokenHash, atMs };
  return createDynamoLeadVerificationRepository().replace(credentials, { before, after, isVerification });
}
const verify = (key: LeadKey, atMs: number) => replaceVerification(key, atMs, true);

async function markErasing(key: LeadKey): Promise<void> {
  const read = await erasures.read(key);
  expect(read && (await erasures.markErasing(key, read))).toBe(true);
}

async function erase(key: LeadKey): Promise<void> {
  await markErasing(key);
  const read = await erasures.read(key);
  expect(read && (await erasures.replaceWithTombstone(key, read))).toBe(true);
}

async function read(key: LeadKey): Promise<ChangedLead> {
  const found = await outbox.read(key);
  if (found === undefined) throw new Error('There is no such lead.');
  return found;
}

const clear = async (key: LeadKey) => outbox.clear(key, await read(key));

/** The due time of the lead in epoch milliseconds, or undefined if the lead is not in the outbox. */
async function dueAtMs({ funnelId, leadId }: LeadKey): Promise<number | undefined> {
  const { leads: due } = await outbox.listDue(shardOfLead(leadId), NOON + 1_000 * DAY_MS, 1_000);
  const found = due.find((lead) => lead.leadId === leadId && lead.funnelId === funnelId);
  return found && Date.parse(found.dueAt);
}

describe('a lead enters the outbox', () => {
  test('with its creation, which is due at once', async () => {
    const key = await storeLead(aLeadChangeOf({ name: 'Ada' }));
    expect(await dueAtMs(key)).toBe(NOON);
    expect(await read(key)).toEqual({
      isInOutbox: true,
      state: 'stored',
      seq: NOON,
      verifiedSeq: 0,
      wasNeverDispatched: true,
      changedAt: iso(NOON),
      dispatchAtMs: NOON,
      hasOnlyUpdatesPending: false,
      lead: expect.objectContaining({ ...key, data: new Map([['name', '"Ada"']]) }),
    });
  });

  test('as undispatched, and stays undispatched until the first clear', async () => {
    const key = await storeLead();
    await update(key, NOON + SECOND);
    await verify(key, NOON + 2 * SECOND);
    expect(await read(key)).toMatchObject({ wasNeverDispatched: true });
    await clear(key);
    await update(key, NOON + 3 * SECOND);
    expect(await read(key)).toMatchObject({ wasNeverDispatched: false });
  });

  test('with its creation and an update of an earlier time: `hasOnlyUpdatesPending` is false', async () => {
    const key = await storeLead();
    await update(key, NOON - SECOND);
    expect(await read(key)).toMatchObject({ hasOnlyUpdatesPending: false });
  });

  test('with an update, which is dispatched a minute after the last update, at most ten minutes after the first', async () => {
    const key = await storeLead();
    await clear(key);
    for (let second = 0; second <= 660; second += 30) {
      await update(key, NOON + second * SECOND);
      expect(await dueAtMs(key)).toBe(NOON + MINUTE);
      expect(await read(key)).toMatchObject({
        seq: NOON + 1 + second / 30,
        changedAt: iso(NOON + second * SECOND),
        dispatchAtMs: NOON + Math.min(second * SECOND + MINUTE, 10 * MINUTE),
        hasOnlyUpdatesPending: second < 600,
      });
    }
  });

  test('with a verification, which is due at once; updates before and afterwards do not delay it', async () => {
    const key = await storeLead();
    await clear(key);
    await update(key, NOON);
    expect(await verify(key, NOON + SECOND)).toBe(true);
    await update(key, NOON + 2 * SECOND);
    expect(await dueAtMs(key)).toBe(NOON + SECOND);
    expect(await read(key)).toMatchObject({ seq: NOON + 3, verifiedSeq: NOON + 2, dispatchAtMs: NOON + SECOND });
  });

  test('with its completion, which is due at once; updates before and afterwards do not delay it', async () => {
    const key = await storeLead();
    await clear(key);
    await update(key, NOON);
    await submitLastStep(key, NOON + SECOND);
    await update(key, NOON + 2 * SECOND);
    expect(await dueAtMs(key)).toBe(NOON + SECOND);
    const completed = { dispatchAtMs: NOON + SECOND, lead: { completedAt: iso(NOON + SECOND) } };
    expect(await read(key)).toMatchObject(completed);
    expect(await callsOf(() => submitLastStep(key, NOON + 3 * SECOND))).toEqual(['UpdateItem']);
    expect(await read(key)).toMatchObject(completed);
  });

  test.each([
    ['verification', verify],
    ['completion', submitLastStep],
  ])(
    'with an update and a %s, written in any order, with any order of times: `hasOnlyUpdatesPending` is false',
    async (_, writeMilestone) => {
      const timePairs = [
        [SECOND, 2 * SECOND],
        [2 * SECOND, SECOND],
      ] as const;
      for (const [first, second] of timePairs) {
        for (const [writeFirst, writeSecond] of [
          [update, writeMilestone] as const,
          [writeMilestone, update] as const,
        ]) {
          const key = await storeLead();
          await clear(key);
          await writeFirst(key, NOON + first);
          await writeSecond(key, NOON + second);
          expect(await read(key)).toMatchObject({ hasOnlyUpdatesPending: false });
        }
      }
    },
  );

  test('with a second submit of the last step, as an update and not as a completion', async () => {
    const key = await storeLead(aLeadChange({ isValidLastStep: true }));
    expect(await read(key)).toMatchObject({ dispatchAtMs: NOON, lead: { completedAt: iso(NOON) } });
    await clear(key);
    await update(key, NOON + SECOND);
    await submitLastStep(key, NOON + 2 * SECOND);
    const again = { dispatchAtMs: NOON + 2 * SECOND + MINUTE, lead: { completedAt: iso(NOON) } };
    expect(await read(key)).toMatchObject(again);
  });

  test('with its tombstone, even though the start of the erasure removed the lead from the outbox', async () => {
    const key = await storeLead();
    await update(key, NOON);
    await markErasing(key);
    expect([await dueAtMs(key), await read(key)]).toEqual([
      undefined,
      { isInOutbox: false, state: 'expired_or_erasing', seq: NOON + 1 },
    ]);
    const marked = await erasures.read(key);
    expect(marked && (await erasures.replaceWithTombstone(key, marked))).toBe(true);
    expect([await dueAtMs(key), await read(key)]).toEqual([
      NOON,
      { isInOutbox: true, state: 'erased', seq: NOON + 2, erasedAt: iso(NOON) },
    ]);
  });
});

test('a repeated create is no change, and neither is the sending of a code', async () => {
  const key = await storeLead();
  await clear(key);
  expect(await replaceVerification(key, NOON, false)).toBe(true);
  expect(await leads.create(key, aLeadChange({ atMs: NOON + 40 * DAY_MS }))).toMatchObject({ outcome: 'exists' });
  expect([await dueAtMs(key), await read(key)]).toMatchObject([undefined, { seq: NOON, verifiedSeq: 0 }]);
});

test('a rejected write is no change', async () => {
  const key = await storeLead();
  await clear(key);
  expect(await leads.merge(key, aLeadChange({ tokenHash: 'other' }))).toBe('invalid_token');
  expect(await leads.merge(key, aLeadChangeOf({ a: 'x'.repeat(310_000) }))).toBe('too_large');
  expect(await verify(key, NOON + 31 * DAY_MS)).toBe(false);
  expect([await dueAtMs(key), await read(key)]).toMatchObject([undefined, { seq: NOON }]);
});

test('a create makes one write, and an update makes one write', async () => {
  const key = aLeadKey();
  expect(await callsOf(() => leads.create(key, aLeadChange()))).toEqual(['PutItem']);
  expect(await callsOf(() => update(key, NOON))).toEqual(['UpdateItem']);
});

describe('clear and postpone', () => {
  test('do nothing if the lead changed after it was read', async () => {
    const key = await storeLead();
    const stale = await read(key);
    await update(key, NOON);
    const before = await readLeadItem(key);
    expect(await outbox.clear(key, stale)).toBe(false);
    expect(await outbox.postpone(key, stale.seq, NOON + MINUTE)).toBe(false);
    expect(await readLeadItem(key)).toEqual(before);
  });

  test('do not create a lead that no longer exists', async () => {
    const key = aLeadKey();
    for (const state of ['stored', 'expired_or_erasing', 'erased'] as const)
      expect(await outbox.clear(key, { state, seq: NOON })).toBe(false);
    expect(await outbox.postpone(key, NOON, NOON)).toBe(false);
    expect(await readLeadItem(key)).toEqual({});
  });

  test('postpone changes the due time of a lead, but does not put a cleared lead back into the outbox', async () => {
    const key = await storeLead();
    expect(await outbox.postpone(key, NOON, NOON + MINUTE)).toBe(true);
    expect(await dueAtMs(key)).toBe(NOON + MINUTE);
    await clear(key);
    expect(await outbox.postpone(key, NOON, NOON + MINUTE)).toBe(false);
    expect(await dueAtMs(key)).toBeUndefined();
  });

  test('clear removes the attributes of the outbox, and keeps seq and verifiedSeq', async () => {
    const key = await storeLead();
    await verify(key, NOON);
    expect(await clear(key)).toBe(true);
    expect(await clear(key)).toBe(false);
    const item = await readLeadItem(key);
    expect(item).toMatchObject({ seq: NOON + 1, verifiedSeq: NOON + 1 });
    for (const name of ['dueShard', 'dueAt', 'dispatchBy']) expect(item).not.toHaveProperty(name);
  });

  test('clear gives a tombstone an expiry of one day', async () => {
    const key = await storeLead();
    await erase(key);
    expect(await readLeadItem(key)).not.toHaveProperty('expiresAt');
    expect(await clear(key)).toBe(true);
    expect(await readLeadItem(key)).toEqual({
      ...leadItemKey(key),
      seq: NOON + 1,
      erasedAt: iso(NOON),
      expiresAt: (NOON + DAY_MS) / SECOND,
    });
  });

  test('clear sets no expiry if it was called for a tombstone, but the lead was created again', async () => {
    const key = await storeLead();
    expect(await outbox.clear(key, { state: 'erased', seq: NOON })).toBe(false);
    expect(await readLeadItem(key)).not.toHaveProperty('expiresAt');
  });
});

test('after its retention period, a lead is read with the state `expired_or_erasing`, without its data', async () => {
  const key = await storeLead(aLeadChange({ retainedUntilMs: NOON }));
  expect(await read(key)).toEqual({ isInOutbox: true, state: 'expired_or_erasing', seq: NOON });
  expect(await clear(key)).toBe(true);
  expect(await dueAtMs(key)).toBeUndefined();
});

test('listDue returns the due leads of a shard, oldest first', async () => {
  const [shard, late] = [5, NOON + 500 * DAY_MS];
  const keys = [3, 1, 2, 4].map((at) => ({
    at,
    ...aLeadKey(),
    leadId: `0000000${shard}-${aLeadKey().leadId.slice(9)}`,
  }));
  for (const { at, ...key } of keys) {
    await leads.create(key, aLeadChange());
    await outbox.postpone(key, NOON, at < 4 ? NOON - DAY_MS + at : late);
  }
  const dueIn = async (of: number, limit: number) => {
    const { leads: due, isLast } = await outbox.listDue(of, NOON - DAY_MS / 2, limit);
    return { ids: due.map(({ leadId }) => keys.find((key) => key.leadId === leadId)?.at), isLast };
  };
  expect(await dueIn(shard, 2)).toEqual({ ids: [1, 2], isLast: false });
  expect(await dueIn(shard, 4)).toEqual({ ids: [1, 2, 3], isLast: true });
  expect(await dueIn(shard - 1, 4)).toEqual({ ids: [], isLast: true });
});

test('the index contains only the key of a lead, its shard and the time at which it is due', async () => {
  const key = await storeLead(aLeadChangeOf({ email: 'ada@shop.example' }));
  const dueShard = `outbox#${shardOfLead(key.leadId)}`;
  const query = new QueryCommand({
    TableName: 'leads',
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard',
    ExpressionAttributeValues: { ':shard': dueShard },
  });
  const { Items } = await documents().send(query);
  expect(Items).toContainEqual({ ...leadItemKey(key), dueShard, dueAt: iso(NOON) });
});

describe('after an upgrade from a release without an outbox', () => {
  const OLD = ['seq', 'changedAt', 'dueShard', 'dueAt', 'dispatchBy'];
  async function anOldLead(): Promise<LeadKey> {
    const key = await storeLead(aLeadChangeOf({ name: 'Ada' }));
    const Item = Object.fromEntries(Object.entries(await readLeadItem(key)).filter(([name]) => !OLD.includes(name)));
    await documents().send(new PutCommand({ TableName: 'leads', Item }));
    return key;
  }

  test('a lead is read with seq 0, and is not in the outbox', async () => {
    const key = await anOldLead();
    expect(await dueAtMs(key)).toBeUndefined();
    expect(await read(key)).toMatchObject({ state: 'stored', seq: 0, verifiedSeq: 0, changedAt: iso(NOON) });
  });

  test('an update, a verification or an erasure puts a lead into the outbox with seq 1', async () => {
    const [updated, verified, erased] = [await anOldLead(), await anOldLead(), await anOldLead()];
    await update(updated, NOON + 1);
    await verify(verified, NOON + 1);
    await erase(erased);
    expect([await dueAtMs(updated), await read(updated)]).toMatchObject([NOON + 1 + MINUTE, { seq: 1 }]);
    expect([await dueAtMs(verified), await read(verified)]).toMatchObject([NOON + 1, { seq: 1, verifiedSeq: 1 }]);
    expect([await dueAtMs(erased), await read(erased)]).toMatchObject([NOON, { state: 'erased', seq: 1 }]);
  });

  test('read returns undefined for a tombstone without erasedAt', async () => {
    const key = aLeadKey();
    const expiresAt = NOON / SECOND + 60;
    await documents().send(new PutCommand({ TableName: 'leads', Item: { ...leadItemKey(key), expiresAt } }));
    expect(await outbox.read(key)).toBeUndefined();
  });

  test('read returns undefined for a lead that DynamoDB has deleted', async () => {
    const key = await storeLead();
    await documents().send(new DeleteCommand({ TableName: 'leads', Key: leadItemKey(key) }));
    expect(await outbox.read(key)).toBeUndefined();
  });
});

test('markErasing writes nothing if the lead was verified after it was read', async () => {
  const key = await storeLead();
  const before = await erasures.read(key);
  await verify(key, NOON);
  expect(before && (await erasures.markErasing(key, before))).toBe(false);
  await erase(key);
  expect(await read(key)).toMatchObject({ state: 'erased', seq: NOON + 2 });
});

const step = fc.oneof(
  fc.record({ do: fc.constantFrom('update', 'verify', 'complete', 'send', 'read', 'clear', 'postpone') }),
  fc.record({ do: fc.constant('wait'), ms: fc.integer({ min: 1, max: 5 * MINUTE }) }),
);

test('in any order of changes and dispatches, a stored or erased lead is in the outbox until its changes are cleared', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), fc.boolean(), async (steps, isErased) => {
      clock.ms = NOON;
      const key = await storeLead();
      const stored = { seq: NOON, verifiedSeq: 0, clearedSeq: 0, milestoneSeq: NOON, pendingSinceMs: NOON };
      const completed: { at?: string } = {};
      // The state of the lead that the dispatcher has read. It can be outdated.
      let known = await read(key);
      const change = () => {
        if (stored.seq++ === stored.clearedSeq) stored.pendingSinceMs = clock.ms;
      };
      for (const one of [...steps, ...(isErased ? [{ do: 'erase' }, ...steps] : [])]) {
        const isGone = (await read(key)).state !== 'stored';
        if ('ms' in one) clock.ms += one.ms;
        if (one.do === 'read') known = await read(key);
        if (one.do === 'clear' && (await outbox.clear(key, known))) {
          expect(known.seq).toBe(stored.seq);
          stored.clearedSeq = known.seq;
        }
        if (one.do === 'postpone' && known.state === 'stored' && known.dispatchAtMs > clock.ms) {
          const isPostponed = await outbox.postpone(key, known.seq, known.dispatchAtMs);
          expect(isPostponed).toBe(known.seq === stored.seq && stored.seq > stored.clearedSeq);
        }
        if (one.do === 'send') expect(await replaceVerification(key, clock.ms, false)).toBe(!isGone);
        if (one.do === 'update') {
          expect(await update(key, clock.ms)).toBe(isGone ? 'unknown_lead' : 'merged');
          if (!isGone) change();
        }
        if (one.do === 'complete') {
          expect(await submitLastStep(key, clock.ms)).toBe(isGone ? 'unknown_lead' : 'merged');
          if (!isGone) {
            change();
            if (completed.at === undefined) stored.milestoneSeq = stored.seq;
            completed.at ??= iso(clock.ms);
          }
        }
        if (one.do === 'verify') {
          expect(await verify(key, clock.ms)).toBe(!isGone);
          if (!isGone) {
            change();
            stored.verifiedSeq = stored.milestoneSeq = stored.seq;
          }
        }
        if (one.do === 'erase') {
          await erase(key);
          change();
          stored.milestoneSeq = stored.seq;
        }
        const current = await read(key);
        const dueMs = await dueAtMs(key);
        expect(current.seq).toBe(stored.seq);
        expect(dueMs !== undefined).toBe(stored.seq > stored.clearedSeq);
        if (current.state === 'stored')
          expect([current.verifiedSeq, current.lead.completedAt]).toEqual([stored.verifiedSeq, completed.at]);
        if (dueMs === undefined) continue;
        const isMilestonePending = stored.milestoneSeq > stored.clearedSeq;
        const latestMs = isMilestonePending ? clock.ms : stored.pendingSinceMs + 10 * MINUTE;
        expect(dueMs).toBeLessThanOrEqual(latestMs);
        if (current.state !== 'stored') continue;
        expect(current.dispatchAtMs).toBeLessThanOrEqual(latestMs);
        if (isMilestonePending) expect(current.hasOnlyUpdatesPending).toBe(false);
      }
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('concurrent updates and clears lose no change', async () => {
  const key = await storeLead();
  let clearedSeq = 0;
  const dispatch = async () => {
    const current = await read(key);
    if (await outbox.clear(key, current)) clearedSeq = Math.max(clearedSeq, current.seq);
  };
  const changes = Array.from({ length: 30 }, (_, at) => leads.merge(key, aLeadChangeOf({ [`key${at}`]: at })));
  const dispatches = Array.from({ length: 30 }, dispatch);
  await Promise.all([...changes, ...dispatches]);
  expect(await read(key)).toMatchObject({ seq: NOON + 30 });
  expect((await dueAtMs(key)) !== undefined).toBe(clearedSeq < NOON + 30);
});
