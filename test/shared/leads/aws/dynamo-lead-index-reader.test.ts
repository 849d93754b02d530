import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type BatchGetCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { createDynamoLeadIndexReader } from '../../../../shared/leads/aws/dynamo-lead-index-reader.ts';
import { createDynamoLeadRepository } from '../../../../shared/leads/aws/dynamo-lead-repository.ts';
import { leadItemKey } from '../../../../shared/leads/aws/lead-item.ts';
import { hashFieldValue } from '../../../../shared/leads/field-value-hash.ts';
import type { LeadKey } from '../../../../shared/leads/lead.ts';
import { paginateLeads } from '../../../../shared/leads/paginate-leads.ts';
import type { LeadIndexEntry } from '../../../../shared/leads/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { aLeadChange, aLeadKey, DAY_MS, NOON } from '../../../support/leads/lead-repository.ts';
import { aLeadChangeOf, documents, readLeadItem, storeLead } from '../../../support/leads/stored-leads.ts';

const { callsOf } = useDynamo();

const clock = { ms: NOON, now: () => clock.ms };
const index = () => createDynamoLeadIndexReader(new DynamoDBClient({}), clock);
const leads = createDynamoLeadRepository();

const readLead = async (key: LeadKey) => (await index().getLeads([key]))[0];

/** Creates leads of one funnel that were last submitted at these times. */
async function leadsAt(times: readonly number[]): Promise<LeadKey[]> {
  const { funnelId } = aLeadKey();
  const keys = times.map(() => ({ ...aLeadKey(), funnelId }));
  for (const [at, key] of keys.entries()) await leads.create(key, aLeadChange({ atMs: times[at] ?? NOON }));
  return keys;
}

async function listEntries(funnelId: string, options: Partial<Parameters<typeof paginateLeads>[1]> = {}) {
  const entries: LeadIndexEntry[] = [];
  for await (const entry of paginateLeads(index(), { funnelId, order: 'oldest first', ...options })) {
    entries.push(entry);
  }
  return entries;
}

test('a lead contains all stored data except token, hashes and codes', async () => {
  const versionId = '00000000-0000-4000-8000-00000000000a';
  const consent = { field: 'news', versionId };
  const key = await storeLead(
    aLeadChangeOf(
      { name: 'Ada', ['__proto__']: 1, 'ä"\\\ud800': [1] },
      {
        stepId: 'contact',
        pageUrl: 'https://shop.example/',
        webcomponentArgs: '{ "n": 1e400 }',
        cookieConsent: '{"cmp":"c"}',
        consents: [{ ...consent, given: true, textVersion: 'v1' }],
        retainedUntilMs: NOON + DAY_MS,
      },
    ),
  );
  const later = { atMs: NOON + 1_000, retainedUntilMs: NOON + 2 * DAY_MS, deviceClass: 'mobile' as const };
  await leads.merge(
    key,
    aLeadChange({ ...later, stepId: 'a', consents: [{ ...consent, given: false, textVersion: undefined }] }),
  );
  await leads.merge(key, aLeadChange({ ...later, stepId: 'contact' }));
  expect(await readLead(key)).toEqual({
    ...key,
    firstSubmittedAt: '2026-03-01T12:00:00.000Z',
    submittedAt: '2026-03-01T12:00:01.000Z',
    submits: 3,
    retainedUntil: '2026-03-03T12:00:00.000Z',
    data: new Map([
      ['name', '"Ada"'],
      ['__proto__', '1'],
      ['ä"\\\ud800', '[1]'],
    ]),
    steps: [
      { id: 'contact', firstAt: '2026-03-01T12:00:00.000Z', lastAt: '2026-03-01T12:00:01.000Z', count: 2 },
      { id: 'a', firstAt: '2026-03-01T12:00:01.000Z', lastAt: '2026-03-01T12:00:01.000Z', count: 1 },
    ],
    consents: [
      {
        field: 'news',
        given: { at: '2026-03-01T12:00:00.000Z', text: 'v1', versionId },
        withdrawn: { at: '2026-03-01T12:00:01.000Z', text: null, versionId },
      },
    ],
    verified: [],
    pageUrl: 'https://shop.example/',
    deviceClass: 'mobile',
    webcomponentArgs: '{ "n": 1e400 }',
    cookieConsent: '{"cmp":"c"}',
  });
});

test('a contact field is verified only while it has the verified value', async () => {
  const key = await storeLead(aLeadChangeOf({ email: 'ada@shop.example' }));
  const verified = [{ field: 'email', valueHash: hashFieldValue(key, 'email', '"ada@shop.example"'), atMs: NOON }];
  const UpdateExpression = 'SET verification = :state';
  const state = JSON.stringify({ verified, codes: [{ codeHash: 'secret' }] });
  const ExpressionAttributeValues = { ':state': state };
  await documents().send(
    new UpdateCommand({ TableName: 'leads', Key: leadItemKey(key), UpdateExpression, ExpressionAttributeValues }),
  );
  expect((await readLead(key))?.verified).toEqual([{ field: 'email', at: '2026-03-01T12:00:00.000Z' }]);
  for (const email of ['eve@shop.example', null]) {
    await leads.merge(key, aLeadChangeOf({ email }));
    expect((await readLead(key))?.verified).toEqual([]);
  }
  await leads.merge(key, aLeadChangeOf({ email: 'ada@shop.example' }));
  expect((await readLead(key))?.verified).toHaveLength(1);
});

describe('getLeads', () => {
  test('returns leads in the requested order, without missing and expired leads', async () => {
    const first = await storeLead();
    const expired = await storeLead(aLeadChange({ retainedUntilMs: NOON }));
    const second = await storeLead();
    const found = await index().getLeads([second, aLeadKey(), expired, first]);
    expect(found.map(({ leadId }) => leadId)).toEqual([second.leadId, first.leadId]);
  });

  test('reads 250 leads in three batches', async () => {
    const keys = await leadsAt(Array.from({ length: 250 }, () => NOON));
    let found = 0;
    const calls = await callsOf(async () => {
      found = (await index().getLeads(keys)).length;
    });
    expect([found, calls]).toEqual([250, ['BatchGetItem', 'BatchGetItem', 'BatchGetItem']]);
  });

  test('requests unprocessed keys again', async () => {
    const keys = await leadsAt([NOON, NOON, NOON, NOON]);
    const halving = new DynamoDBClient({});
    let responses = 0;
    // Each response leaves the second half of the keys unprocessed, like a response that has reached its size limit.
    halving.middlewareStack.add((next) => async (args) => {
      const input = args.input as BatchGetCommandInput;
      const { Keys: requested = [], ...rest } = input.RequestItems?.leads ?? { Keys: [] };
      const half = Math.ceil(requested.length / 2);
      const RequestItems = { leads: { ...rest, Keys: requested.slice(0, half) } };
      const { output, response } = await next({ ...args, input: { ...input, RequestItems } as never });
      responses++;
      const left = half < requested.length ? { leads: { ...rest, Keys: requested.slice(half) } } : {};
      return { output: { ...output, UnprocessedKeys: left } as never, response };
    });
    const found = await createDynamoLeadIndexReader(halving, clock).getLeads(keys);
    expect(found.map(({ leadId }) => leadId)).toEqual(keys.map(({ leadId }) => leadId));
    expect(responses).toBe(3);
  });
});

describe('paginateLeads', () => {
  test('lists all leads of the funnel and no others, ordered by last submit', async () => {
    const keys = await leadsAt(Array.from({ length: 40 }, (_, at) => NOON + ((at * 7) % 40) * 1_000));
    await storeLead();
    const funnelId = keys[0]?.funnelId ?? '';
    const times = (await listEntries(funnelId)).map(({ submittedAt }) => submittedAt);
    expect(times).toEqual(Array.from({ length: 40 }, (_, at) => new Date(NOON + at * 1_000).toISOString()));
    const newest = await listEntries(funnelId, { order: 'newest first' });
    expect(newest.map(({ submittedAt }) => submittedAt)).toEqual(times.toReversed());
  });

  test('resumes after any entry, even if many leads were submitted in the same millisecond', async () => {
    const keys = await leadsAt(Array.from({ length: 60 }, (_, at) => NOON + (at % 3)));
    const funnelId = keys[0]?.funnelId ?? '';
    for (const order of ['oldest first', 'newest first'] as const) {
      const whole = await listEntries(funnelId, { order, limit: 3 });
      expect(new Set(whole.map(({ leadId }) => leadId)).size).toBe(60);
      for (const at of [0, 17, 20, 39, 58, 59]) {
        expect(await listEntries(funnelId, { order, limit: 3, after: whole[at] })).toEqual(whole.slice(at + 1));
      }
    }
  });

  test('lists the leads in a range, including the leads at both bounds', async () => {
    const keys = await leadsAt([0, 1, 2, 3, 4].map((ms) => NOON + ms));
    const at = (ms: number) => new Date(NOON + ms).toISOString();
    const found = await listEntries(keys[0]?.funnelId ?? '', { from: at(1), to: at(3) });
    expect(found.map(({ submittedAt }) => submittedAt)).toEqual([at(1), at(2), at(3)]);
    expect(await listEntries(keys[0]?.funnelId ?? '', { from: at(3), to: at(1) })).toEqual([]);
  });
});

test('a lead item without consents, steps and verification is read with empty lists', async () => {
  const key = await storeLead();
  expect(Object.keys(await readLeadItem(key)).filter((name) => /^(consent|step\.|verification)/.test(name))).toEqual(
    [],
  );
  expect(await readLead(key)).toMatchObject({ consents: [], steps: [], verified: [] });
});
