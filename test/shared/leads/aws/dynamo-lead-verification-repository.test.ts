import { expect, test } from 'vitest';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { createDynamoLeadVerificationRepository } from '../../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import type { LeadKey } from '../../../../shared/leads/lead.ts';
import { hashToken } from '../../../../shared/leads/lead-handle.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadKey, DAY_MS, NOON } from '../../../support/leads/lead-repository.ts';
import { aLeadWriteOf, readLeadData, readLeadItem, storeLead } from '../../../support/leads/stored-leads.ts';

useDynamo();

const verifications = createDynamoLeadVerificationRepository();
const proofOf = (key: LeadKey, said: { token?: string; atMs?: number } = {}) => ({
  ...key,
  tokenHash: hashToken(said.token ?? 'token'),
  atMs: said.atMs ?? NOON,
});

test('a lead is found with the asked fields that hold something, and with what verification keeps', async () => {
  const key = await storeLead(aLeadWriteOf({ email: 'ada@shop.example', 'a.b "c"': 7, name: 'Ada' }));
  expect(await verifications.find(proofOf(key), ['email', 'phone', 'a.b "c"'])).toEqual({
    outcome: 'found',
    lead: {
      values: new Map([
        ['email', '"ada@shop.example"'],
        ['a.b "c"', '7'],
      ]),
      verification: undefined,
    },
  });
  expect(await verifications.replace(proofOf(key), undefined, 'one')).toBe(true);
  expect(await verifications.find(proofOf(key), [])).toMatchObject({ lead: { verification: 'one' } });
});

test('an unknown or expired lead is unknown; another token, or an old one, is invalid', async () => {
  const key = await storeLead(aLeadWriteOf({}, { expiresAtMs: NOON + 2 * DAY_MS }));
  const outcome = async (...given: Parameters<typeof proofOf>) =>
    (await verifications.find(proofOf(...given), [])).outcome;
  expect(await outcome(key)).toBe('found');
  expect(await outcome(aLeadKey())).toBe('unknown_lead');
  expect(await outcome(key, { token: 'other' })).toBe('invalid_token');
  expect(await outcome(key, { atMs: NOON + 2 * DAY_MS })).toBe('unknown_lead');
  const kept = await storeLead();
  expect(await outcome(kept, { atMs: NOON + 30 * DAY_MS })).toBe('invalid_token');
});

test('what was not read is not replaced, and neither is anything without the token', async () => {
  const key = await storeLead();
  expect(await verifications.replace(proofOf(key), 'one', 'two')).toBe(false);
  expect(await verifications.replace(proofOf(key, { token: 'other' }), undefined, 'two')).toBe(false);
  expect(await verifications.replace(proofOf(key, { atMs: NOON + 31 * DAY_MS }), undefined, 'two')).toBe(false);
  expect(await verifications.replace(proofOf(aLeadKey()), undefined, 'two')).toBe(false);
  expect((await readLeadItem(key)).verification).toBeUndefined();
  expect(await verifications.replace(proofOf(key), undefined, 'one')).toBe(true);
  expect(await verifications.replace(proofOf(key), undefined, 'two')).toBe(false);
  expect((await readLeadItem(key)).verification).toBe('one');
});

test('of 20 replacements of the same state at once one happens', async () => {
  const key = await storeLead();
  const all = Array.from({ length: 20 }, (_, at) => verifications.replace(proofOf(key), undefined, `state ${at}`));
  expect((await Promise.all(all)).filter((happened) => happened)).toHaveLength(1);
});

test('submits leave it alone, whatever their keys, and it leaves the data alone', async () => {
  const key = await storeLead(aLeadWriteOf({ email: 'ada@shop.example' }));
  await verifications.replace(proofOf(key), undefined, 'kept');
  const data = { verification: 'mine', 'd.verification': 1, email: null };
  expect(await createDynamoLeadRepository().merge(key, aLeadWriteOf(data))).toBe('saved');
  expect((await readLeadItem(key)).verification).toBe('kept');
  expect(await readLeadData(key)).toEqual({ verification: 'mine', 'd.verification': 1 });
});

test('a lead as large as one may be is verified and submitted to all the same', async () => {
  const key = await storeLead(aLeadWriteOf({ email: 'ada@shop.example' }));
  for (let at = 0; at < 4; at++) {
    expect(await createDynamoLeadRepository().merge(key, aLeadWriteOf({ [`big${at}`]: 'x'.repeat(64_000) }))).toBe(
      'saved',
    );
  }
  expect(await verifications.replace(proofOf(key), undefined, 'v'.repeat(2_048))).toBe(true);
  expect(await createDynamoLeadRepository().merge(key, aLeadWriteOf({ more: 'y'.repeat(30_000) }))).toBe('saved');
  expect(await verifications.find(proofOf(key), ['email'])).toMatchObject({ outcome: 'found' });
});
