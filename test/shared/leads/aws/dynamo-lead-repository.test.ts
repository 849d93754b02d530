import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { leadItemKey } from '../../../../shared/leads/aws/lead-item.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import {
  aLeadChange,
  aLeadKey,
  createInMemoryLeadRepository,
  DAY_MS,
  NOON,
} from '../../../support/leads/lead-repository.ts';
import {
  aLeadChangeOf,
  documents,
  readLeadData,
  readLeadItem,
  storeLead,
  toOldRetention,
} from '../../../support/leads/stored-leads.ts';

const { callsOf } = useDynamo();

const leads = createDynamoLeadRepository();

describe.each([
  ['in DynamoDB', () => leads],
  ['in memory, as used by the tests of the operation', () => createInMemoryLeadRepository().leads],
])('LeadRepository %s', (_, make) => {
  test('a second create with the same id returns the token hash of the existing lead', async () => {
    const [store, key] = [make(), aLeadKey()];
    expect(await store.create(key, aLeadChange())).toEqual({ outcome: 'created' });
    const { tokenHash } = aLeadChange();
    expect(await store.create(key, aLeadChange({ tokenHash: 'other' }))).toEqual({ outcome: 'exists', tokenHash });
  });

  test('merge requires an existing lead and its unexpired token', async () => {
    const [store, key] = [make(), aLeadKey()];
    expect(await store.merge(key, aLeadChange())).toBe('unknown_lead');
    await store.create(key, aLeadChange());
    expect(await store.merge(key, aLeadChange({ tokenHash: 'other' }))).toBe('invalid_token');
    expect(await store.merge(key, aLeadChange({ atMs: NOON + 30 * DAY_MS }))).toBe('invalid_token');
    expect(await store.merge({ ...key, funnelId: aLeadKey().funnelId }, aLeadChange())).toBe('unknown_lead');
    expect(await store.merge(key, aLeadChange({ atMs: NOON + 30 * DAY_MS - 1 }))).toBe('merged');
    expect(await store.merge(key, aLeadChange({ atMs: NOON + 59 * DAY_MS }))).toBe('merged');
  });
});

describe.each([
  ['in DynamoDB', () => leads],
  ['in memory, as used by the tests of the operation', () => createInMemoryLeadRepository().leads],
])('an expired token %s', (_, make) => {
  const late = NOON + 40 * DAY_MS;

  test('is renewed by a repeated create with the same token, and not by a create with another token', async () => {
    const [store, key] = [make(), aLeadKey()];
    await store.create(key, aLeadChange());
    await store.create(key, aLeadChange({ atMs: late, tokenHash: 'other' }));
    expect(await store.merge(key, aLeadChange({ atMs: late }))).toBe('invalid_token');
    expect(await store.create(key, aLeadChange({ atMs: late }))).toMatchObject({ outcome: 'exists' });
    expect(await store.merge(key, aLeadChange({ atMs: late + 30 * DAY_MS - 1 }))).toBe('merged');
  });
});

test('if a token has expired, a repeated create only extends its expiry, at most to the end of the retention period', async () => {
  const endsAtMs = NOON + 50 * DAY_MS;
  const key = await storeLead(aLeadChangeOf({ name: 'Ada' }, { retainedUntilMs: endsAtMs }));
  const before = await readLeadItem(key);
  const again = aLeadChangeOf({ name: 'Eve' }, { atMs: NOON + 40 * DAY_MS, retainedUntilMs: NOON + 90 * DAY_MS });
  await Promise.all(Array.from({ length: 5 }, () => leads.create(key, again)));
  expect(await readLeadItem(key)).toEqual({ ...before, tokenExpiresAt: endsAtMs });
});

test('a repeated create makes a second write only if the token has expired', async () => {
  const key = await storeLead();
  expect(await callsOf(() => leads.create(key, aLeadChange()))).toEqual(['PutItem', 'GetItem']);
  const late = aLeadChange({ atMs: NOON + 40 * DAY_MS });
  expect(await callsOf(() => leads.create(key, late))).toEqual(['PutItem', 'GetItem', 'UpdateItem']);
  expect(await callsOf(() => leads.create(key, late))).toEqual(['PutItem', 'GetItem']);
});

test('nothing is changed by a merge with a wrong token, or by a repeated create while the token is valid', async () => {
  const key = await storeLead(aLeadChangeOf({ name: 'Ada' }));
  const before = await readLeadItem(key);
  await leads.create(key, aLeadChangeOf({ name: 'Eve' }));
  await leads.merge(key, aLeadChangeOf({ name: 'Eve' }, { tokenHash: 'other' }));
  expect(await readLeadItem(key)).toEqual(before);
});

test('data is merged by key, so that the last write of a key wins, and null clears the key', async () => {
  const step = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', '\ud800', 'ä"\\'),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      const key = await storeLead();
      const expected = new Map<string, unknown>();
      for (const data of steps) {
        expect(await leads.merge(key, aLeadChangeOf(data))).toBe('merged');
        for (const [name, value] of Object.entries(data)) {
          if (value === null) expected.delete(name);
          else expected.set(name, JSON.parse(JSON.stringify(value)));
        }
      }
      expect(new Map(Object.entries(await readLeadData(key)))).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});

test('concurrent submits of different keys are all kept', async () => {
  const key = await storeLead(aLeadChangeOf({ first: 0 }));
  const saves = Array.from({ length: 20 }, (_, index) => leads.merge(key, aLeadChangeOf({ [`key${index}`]: index })));
  expect(new Set(await Promise.all(saves))).toEqual(new Set(['merged']));
  expect(Object.keys(await readLeadData(key))).toHaveLength(21);
});

test('values are stored as unchanged JSON text, also values that DynamoDB would reject or round', async () => {
  const sent = new Map([
    ['huge', '1e300'],
    ['tiny', '1e-200'],
    ['infinite', '1e400'],
    ['long', '12345678901234567890'],
    ['deep', `${'['.repeat(40)}${']'.repeat(40)}`],
    ['lone', '"\\ud800"'],
    ['proto', '{"__proto__":{"a":1}}'],
    ['empty', '{}'],
  ]);
  const key = await storeLead();
  expect(await leads.merge(key, aLeadChange({ dataChanges: sent }))).toBe('merged');
  const item = await readLeadItem(key);
  for (const [name, json] of sent) expect(item[`d.${name}`]).toBe(json);
});

test('one submit saves 200 keys of 128 characters, and one submit clears them', async () => {
  const keys = Array.from({ length: 200 }, (_, index) => `${index}`.padStart(128, 'ü'));
  const key = await storeLead();
  expect(await leads.merge(key, aLeadChangeOf(Object.fromEntries(keys.map((name) => [name, 1]))))).toBe('merged');
  expect(Object.keys(await readLeadData(key))).toHaveLength(200);
  expect(await leads.merge(key, aLeadChangeOf(Object.fromEntries(keys.map((name) => [name, null]))))).toBe('merged');
  expect(await readLeadData(key)).toEqual({});
});

test('a lead stores the first time, the last time and the count of each step', async () => {
  const key = await storeLead(aLeadChange({ stepId: 'contact' }));
  await leads.merge(key, aLeadChange({ stepId: 'contact', atMs: NOON + 1_000 }));
  await leads.merge(key, aLeadChange({ stepId: 'end', atMs: NOON + 2_000 }));
  expect(await readLeadItem(key)).toMatchObject({
    'step.first.contact': '2026-03-01T12:00:00.000Z',
    'step.last.contact': '2026-03-01T12:00:01.000Z',
    'step.count.contact': 2,
    'step.first.end': '2026-03-01T12:00:02.000Z',
    'step.count.end': 1,
    firstSubmittedAt: '2026-03-01T12:00:00.000Z',
    submittedAt: '2026-03-01T12:00:02.000Z',
  });
});

test('metadata is kept if a later submit does not contain it', async () => {
  const key = await storeLead(
    aLeadChange({ pageUrl: 'https://a.example/', cookieConsent: '{"cmp":"c"}', webcomponentArgs: '{}' }),
  );
  await leads.merge(key, aLeadChange({ pageUrl: 'https://b.example/' }));
  expect(await readLeadItem(key)).toMatchObject({
    pageUrl: 'https://b.example/',
    cookieConsent: '{"cmp":"c"}',
    webcomponentArgs: '{}',
    deviceClass: 'desktop',
  });
});

test('the token of a lead is not stored', async () => {
  const key = await storeLead();
  expect(JSON.stringify(await readLeadItem(key))).not.toContain('"token"');
});

test('the index contains a lead under its funnel shard and the time of its last submit', async () => {
  const key = await storeLead();
  await leads.merge(key, aLeadChange({ atMs: NOON + 5_000 }));
  const pages = await Promise.all(
    Array.from({ length: 8 }, (_, shard) =>
      documents().send(
        new QueryCommand({
          TableName: 'leads',
          IndexName: 'byFunnel',
          KeyConditionExpression: 'funnelShard = :shard AND submittedAt >= :since',
          ExpressionAttributeValues: { ':shard': `${key.funnelId}#${shard}`, ':since': '2026-03-01T12:00:05.000Z' },
        }),
      ),
    ),
  );
  expect(pages.flatMap(({ Items }) => Items ?? [])).toMatchObject([{ pk: `lead#${key.funnelId}#${key.leadId}` }]);
});

describe('the retention period', () => {
  const expiring = (atMs: number) => aLeadChange({ atMs, retainedUntilMs: atMs + 7 * DAY_MS });

  test('starts at the last submit, and is removed by a submit without a retention period', async () => {
    const key = await storeLead(expiring(NOON));
    await leads.merge(key, expiring(NOON + DAY_MS));
    expect(await readLeadItem(key)).toMatchObject({ retainedUntil: (NOON + 8 * DAY_MS) / 1_000 });
    await leads.merge(key, aLeadChange({ atMs: NOON + DAY_MS }));
    expect(await readLeadItem(key)).not.toHaveProperty('retainedUntil');
  });

  test('is stored without a TTL attribute; a submit removes the TTL attribute of an earlier release', async () => {
    const key = await storeLead(expiring(NOON));
    expect(await readLeadItem(key)).not.toHaveProperty('expiresAt');
    await toOldRetention(key);
    expect(await leads.merge(key, expiring(NOON + DAY_MS))).toBe('merged');
    const item = await readLeadItem(key);
    expect(item).toMatchObject({ retainedUntil: (NOON + 8 * DAY_MS) / 1_000 });
    expect(item).not.toHaveProperty('expiresAt');
  });

  test.each(['', ' of an earlier release'])(
    'after its end, a lead%s that is not erased yet can neither be updated nor created again',
    async (release) => {
      const key = await storeLead(expiring(NOON));
      if (release !== '') await toOldRetention(key);
      const before = await readLeadItem(key);
      expect(await leads.merge(key, expiring(NOON + 7 * DAY_MS))).toBe('unknown_lead');
      expect(await leads.create(key, aLeadChangeOf({ b: 2 }, { atMs: NOON + 7 * DAY_MS }))).toEqual({
        outcome: 'erased',
      });
      expect(await readLeadItem(key)).toEqual(before);
    },
  );
});

test.each([{ erasedAt: '2026-02-27T12:00:00.000Z', seq: 7 }, {}])(
  'a create replaces a tombstone %j as soon as it has expired, and not before',
  async (tombstone) => {
    const key = aLeadKey();
    const put = (expiresAt: number) =>
      documents().send(new PutCommand({ TableName: 'leads', Item: { ...leadItemKey(key), ...tombstone, expiresAt } }));
    await put(NOON / 1_000 + 1);
    expect(await leads.create(key, aLeadChange())).toEqual({ outcome: 'erased' });
    await put(NOON / 1_000);
    expect(await leads.create(key, aLeadChange())).toEqual({ outcome: 'created' });
  },
);
