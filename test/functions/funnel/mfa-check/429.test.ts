import { expect, test, vi } from 'vitest';
import { useDynamo } from '../../../support/dynamo.ts';
import { DAY_MS, NOON } from '../../../support/leads/lead-repository.ts';
import {
  anAddress,
  EMAIL,
  errorCode,
  setUpVerification,
  type VerificationWorld,
  wrongCode,
} from '../../../support/verification/verification.ts';

useDynamo();

type Handle = Awaited<ReturnType<VerificationWorld['aLead']>>;
/** Returns a new client address for each request, so that the rate limit of an address does not apply. */
const fromNewAddress = () => ({ ip: anAddress() });

const checkWrongCodes = async ({ check, lastCode }: VerificationWorld, lead: Handle, times: number) => {
  for (let count = 0; count < times; count++) {
    expect(errorCode(await check(lead, wrongCode(lastCode()), fromNewAddress()))).toBe('code_invalid');
  }
};

test('429 too_many_attempts: rejects even the correct code for ten minutes after five wrong codes', async () => {
  const world = setUpVerification();
  const { aLead, send, check, lastCode, clock } = world;
  const lead = await aLead();
  await send(lead);
  await checkWrongCodes(world, lead, 5);
  clock.ms += 60_000;
  expect(await check(lead, lastCode())).toMatchObject({
    status: 429,
    headers: { 'retry-after': '540', 'ratelimit-limit': '5', 'ratelimit-remaining': '0', 'ratelimit-reset': '540' },
    body: { error: { code: 'too_many_attempts' } },
  });
  await send(lead);
  expect(errorCode(await check(lead, lastCode()))).toBe('too_many_attempts');
  clock.ms += 540_000;
  expect((await check(lead, lastCode())).status).toBe(200);
});

test('429 too_many_attempts: a lead gets five new attempts when its lockout ends, and when a check succeeds', async () => {
  const world = setUpVerification();
  const { aLead, send, check, lastCode, clock, change } = world;
  const lead = await aLead();
  await send(lead);
  await checkWrongCodes(world, lead, 5);
  clock.ms += 600_000;
  await send(lead);
  await checkWrongCodes(world, lead, 4);
  expect((await check(lead, lastCode())).status).toBe(200);
  await change(lead, { email: 'grace@shop.example' });
  await send(lead);
  await checkWrongCodes(world, lead, 5);
  expect(errorCode(await check(lead, lastCode()))).toBe('too_many_attempts');
});

test('429 too_many_attempts: new sends give no new attempts', async () => {
  const world = setUpVerification();
  const { aLead, send, check, lastCode, clock } = world;
  const lead = await aLead();
  await send(lead);
  await checkWrongCodes(world, lead, 3);
  clock.ms += 31_000;
  await send(lead);
  await checkWrongCodes(world, lead, 2);
  expect(errorCode(await check(lead, lastCode()))).toBe('too_many_attempts');
});

test('429 too_many_attempts: twenty wrong codes for a destination of an organization block its checks until midnight UTC', async () => {
  const world = setUpVerification();
  const { aLead, send, check, lastCode, clock } = world;
  for (let count = 0; count < 4; count++) {
    const lead = await aLead({ email: count % 2 ? EMAIL : EMAIL.toUpperCase() });
    await send(lead);
    await checkWrongCodes(world, lead, 5);
    clock.ms += 31_000;
  }
  const lead = await aLead({ email: EMAIL });
  await send(lead);
  for (const code of [wrongCode(lastCode()), lastCode()]) {
    const response = await check(lead, code, fromNewAddress());
    expect(response).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '20', 'ratelimit-remaining': '0' } });
    expect(errorCode(response)).toBe('too_many_attempts');
    expect(Number(response.headers['retry-after'])).toBe((NOON + DAY_MS / 2 - clock.ms) / 1_000);
  }
  const other = await aLead({ email: 'grace@shop.example' });
  await send(other);
  expect((await check(other, lastCode())).status).toBe(200);
  clock.ms = NOON + DAY_MS / 2;
  await send(lead);
  expect((await check(lead, lastCode())).status).toBe(200);
});

test('400 code_invalid: before a code is sent to a destination, wrong codes do not use up its daily attempts', async () => {
  const { aLead, send, check, lastCode, sent } = setUpVerification();
  const person = await aLead({ email: EMAIL });
  for (let count = 0; count < 24; count++) {
    const response = await check(await aLead({ email: EMAIL }), '123456', fromNewAddress());
    expect(errorCode(response)).toBe('code_invalid');
  }
  expect(sent).toEqual([]);
  await send(person);
  expect((await check(person, lastCode())).status).toBe(200);
});

test('400: after a code has expired, wrong codes do not use up the destination’s daily attempts', async () => {
  const world = setUpVerification();
  const { aLead, send, check, lastCode, clock } = world;
  const person = await aLead({ email: EMAIL });
  for (let count = 0; count < 5; count++) {
    const lead = await aLead({ email: EMAIL });
    await send(lead);
    clock.ms += 10 * 60_000;
    for (let wrong = 0; wrong < 4; wrong++) {
      expect((await check(lead, wrong % 2 ? lastCode() : '123456', fromNewAddress())).status).toBe(400);
    }
  }
  await send(person);
  expect((await check(person, lastCode())).status).toBe(200);
});

test('429 rate_limited: rejects the 31st check from a client address in a minute, before the body is validated', async () => {
  const { aLead, check, checkBody, clock } = setUpVerification();
  const lead = await aLead({ name: 'Ada' });
  for (let count = 0; count < 30; count++) await checkBody('{');
  const response = await checkBody('{');
  expect(response).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '30' } });
  expect(errorCode(response)).toBe('rate_limited');
  expect((await check(lead, '123456', { ip: '192.0.2.99' })).status).toBe(400);
  clock.ms += 60_000;
  expect((await check(lead, '123456')).status).toBe(400);
});

test('429 rate_limited: rejects the 301st check from an IPv6 network with a /48 prefix in a minute', async () => {
  const { checkBody } = setUpVerification();
  for (let count = 0; count < 300; count++) {
    expect((await checkBody('{', { ip: `2001:db8:7:${Math.floor(count / 30)}::${count}` })).status).toBe(400);
  }
  const response = await checkBody('{', { ip: '2001:db8:7:ff::1' });
  expect(response).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '300' } });
  expect((await checkBody('{', { ip: '2001:db8:8::1' })).status).toBe(400);
});

test('503: if wrong codes cannot be counted, the response does not reveal whether a code is correct', async () => {
  const { aLead, send, check, lastCode, stored } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  const before = await stored(lead);
  vi.stubEnv('LIMITS_TABLE', 'gone');
  for (const code of [lastCode(), wrongCode(lastCode())]) {
    expect(await check(lead, code)).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  }
  expect(await stored(lead)).toEqual(before);
});
