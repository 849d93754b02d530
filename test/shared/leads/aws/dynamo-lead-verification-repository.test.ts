import { expect, test } from 'vitest';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { createDynamoLeadVerificationRepository } from '../../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import type { LeadKey } from '../../../../shared/leads/lead.ts';
import { hashToken } from '../../../../shared/leads/lead-handle.ts';
import type { LeadCredentials } from '../../../../shared/leads/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadKey, DAY_MS, NOON } from '../../../support/leads/lead-repository.ts';
import {
  aLeadChangeOf,
  readLeadData,
  readLeadItem,
  storeLead,
  toOldRetention,
} from '../../../support/leads/stored-leads.ts';

useDynamo();

const verifications = createDynamoLeadVerificationRepository();
const replace = (credentials: LeadCredentials, before: string | undefined, after: string, isVerification = false) =>
  verifications.replace(credentials, { before, after, isVerification });
const credentialsOf = (key: LeadKey, overrides: { token?: string; atMs?: number } = {}) => ({
  ...key,
  tokenHash: hashToken(overrides.token ?? 'token'),
  atMs: overrides.atMs ?? NOON,
});

test('find returns the requested fields that have a value, and the verification state of the lead', async () => {
  const key = await storeLead(aLeadChangeOf({ email: 'ada@shop.example', 'a.b "c"': 7, name: 'Ada' }));
  expect(await verifications.find(credentialsOf(key), ['email', 'phone', 'a.b "c"'])).toEqual({
    outcome: 'found',
    lead: {
      values: new Map([
        ['email', '"ada@shop.example"'],
        ['a.b "c"', '7'],
      ]),
      verification: undefined,
    },
  });
  expect(await replace(credentialsOf(key), undefined, 'one')).toBe(true);
  expect(await verifications.find(credentialsOf(key), [])).toMatchObject({ lead: { verification: 'one' } });
});

test('find reports unknown and expired leads as unknown_lead, and wrong and expired tokens as invalid_token', async () => {
  const key = await storeLead(aLeadChangeOf({}, { retainedUntilMs: NOON + 2 * DAY_MS }));
  const outcome = async (...given: Parameters<typeof credentialsOf>) =>
    (await verifications.find(credentialsOf(...given), [])).outcome;
  expect(await outcome(key)).toBe('found');
  expect(await outcome(aLeadKey())).toBe('unknown_lead');
  expect(await outcome(key, { token: 'other' })).toBe('invalid_token');
  expect(await outcome(key, { atMs: NOON + 2 * DAY_MS })).toBe('unknown_lead');
  await toOldRetention(key);
  expect(await outcome(key)).toBe('found');
  expect(await outcome(key, { atMs: NOON + 2 * DAY_MS })).toBe('unknown_lead');
  const lead = await storeLead();
  expect(await outcome(lead, { atMs: NOON + 30 * DAY_MS })).toBe('invalid_token');
});

test('replace changes the verification state only if the stored state equals the given state and the token is valid', async () => {
  const key = await storeLead();
  expect(await replace(credentialsOf(key), 'one', 'two')).toBe(false);
  expect(await replace(credentialsOf(key, { token: 'other' }), undefined, 'two')).toBe(false);
  expect(await replace(credentialsOf(key, { atMs: NOON + 31 * DAY_MS }), undefined, 'two')).toBe(false);
  expect(await replace(credentialsOf(aLeadKey()), undefined, 'two')).toBe(false);
  expect((await readLeadItem(key)).verification).toBeUndefined();
  expect(await replace(credentialsOf(key), undefined, 'one')).toBe(true);
  expect(await replace(credentialsOf(key), undefined, 'two')).toBe(false);
  expect((await readLeadItem(key)).verification).toBe('one');
});

test('exactly one of 20 concurrent replacements of the same verification state succeeds', async () => {
  const key = await storeLead();
  const all = Array.from({ length: 20 }, (_, at) => replace(credentialsOf(key), undefined, `state ${at}`));
  expect((await Promise.all(all)).filter((happened) => happened)).toHaveLength(1);
});

test('a submit with a data key such as `verification` does not change the verification state', async () => {
  const key = await storeLead(aLeadChangeOf({ email: 'ada@shop.example' }));
  await replace(credentialsOf(key), undefined, 'first');
  const data = { verification: 'mine', 'd.verification': 1, email: null };
  expect(await createDynamoLeadRepository().merge(key, aLeadChangeOf(data))).toBe('merged');
  expect((await readLeadItem(key)).verification).toBe('first');
  expect(await readLeadData(key)).toEqual({ verification: 'mine', 'd.verification': 1 });
});

test('a lead of almost the maximum size can be verified and updated', async () => {
  const key = await storeLead(aLeadChangeOf({ email: 'ada@shop.example' }));
  for (let at = 0; at < 4; at++) {
    expect(await createDynamoLeadRepository().merge(key, aLeadChangeOf({ [`big${at}`]: 'x'.repeat(64_000) }))).toBe(
      'merged',
    );
  }
  expect(await replace(credentialsOf(key), undefined, 'v'.repeat(2_048))).toBe(true);
  expect(await createDynamoLeadRepository().merge(key, aLeadChangeOf({ more: 'y'.repeat(30_000) }))).toBe('merged');
  expect(await verifications.find(credentialsOf(key), ['email'])).toMatchObject({ outcome: 'found' });
});
