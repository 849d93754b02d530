import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Funnel } from '../../../../shared/funnels/funnel.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { DAY_MS, NOON } from '../../../support/leads/lead-repository.ts';
import { setUpVerification, type VerificationWorld } from '../../../support/verification/verification.ts';

const { callsOf } = useDynamo();

type Handle = { lead_id: string; update_token: string };

/** This file tests mfa-send and mfa-check, because both operations handle funnels and leads in the same way. */
const OPERATIONS: [
  string,
  (world: VerificationWorld) => (lead: Handle, headers?: Record<string, string>) => unknown,
][] = [
  [
    'mfa/send',
    ({ send }) =>
      (lead, headers = {}) =>
        send(lead, { headers }),
  ],
  [
    'mfa/check',
    ({ check }) =>
      (lead, headers = {}) =>
        check(lead, '123456', { headers }),
  ],
];

describe.each(OPERATIONS)('%s', (_, operation) => {
  const setUp = (funnel: Partial<Funnel> = {}) => {
    const world = setUpVerification({ funnel });
    return { ...world, ask: operation(world) };
  };

  test.each([
    ['a wrong token', 'other'],
    ['a token of 100,000 characters', 'x'.repeat(100_000)],
  ])('403: rejects %s, sends nothing and does not change the lead', async (_name, update_token) => {
    const { aLead, ask, sent, stored } = setUp();
    const lead = await aLead();
    expect(await ask({ ...lead, update_token })).toMatchObject({
      status: 403,
      body: { error: { code: 'invalid_update_token' } },
    });
    expect(sent).toEqual([]);
    expect((await stored(lead)).verification).toBeUndefined();
  });

  test('403: rejects an expired token, and sends nothing', async () => {
    const { aLead, ask, clock, sent } = setUp();
    const lead = await aLead();
    clock.ms += 30 * DAY_MS;
    expect(await ask(lead)).toMatchObject({ status: 403, body: { error: { code: 'invalid_update_token' } } });
    expect(sent).toEqual([]);
  });

  test('403: rejects an origin that the funnel does not allow, and sends nothing', async () => {
    const { aLead, ask, sent } = setUp({ allowedOrigins: ['https://shop.example'] });
    const lead = await aLead();
    expect(await ask(lead, { origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
    expect(sent).toEqual([]);
  });

  test.each([
    ['unknown', randomUUID()],
    ['malformed', '../lead'],
    ['a lone surrogate', '\ud800'],
  ])('404: rejects a lead id that is %s, and sends nothing', async (_name, lead_id) => {
    const { ask, sent } = setUp();
    expect(await ask({ lead_id, update_token: 'token' })).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', message: expect.stringContaining('body.lead_id') } },
    });
    expect(sent).toEqual([]);
  });

  test('404: rejects a lead of another funnel, and sends nothing', async () => {
    const lead = await setUp().aLead();
    const { ask, sent } = setUp();
    expect(await ask(lead)).toMatchObject({ status: 404 });
    expect(sent).toEqual([]);
  });

  test.each<[string, Partial<Funnel>]>([
    ['archived', { archivedAt: '2026-01-01T00:00:00Z' }],
    ['never published', { publishedVersionId: null }],
    ['unpublished two days ago', { unpublishedAt: new Date(NOON - 2 * DAY_MS).toISOString() }],
  ])('404: for a funnel that was %s, reads no lead and sends nothing', async (_name, funnel) => {
    const { aLead, ask, sent } = setUp(funnel);
    const lead = await aLead();
    const calls = await callsOf(async () => {
      expect(await ask(lead)).toMatchObject({
        status: 404,
        body: { error: { message: expect.stringContaining('path.id') } },
      });
    });
    expect(calls).not.toContain('GetItem');
    expect(sent).toEqual([]);
  });
});
