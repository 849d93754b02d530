import { expect, test } from 'vitest';
import { createDynamoLeadVerificationRepository } from '../../../../shared/leads/aws/dynamo-lead-verification-repository.ts';
import type { LeadVerificationRepository } from '../../../../shared/leads/ports.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import {
  anAddress,
  codeIn,
  errorCode,
  setUpVerification,
  wrongCode,
} from '../../../support/verification/verification.ts';

useDynamo();

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const fromNewAddress = () => ({ ip: anAddress() });

test('exactly one of 20 concurrent checks of a correct code succeeds; the others do not count as failed attempts', async () => {
  for (let round = 0; round < 5; round++) {
    const { aLead, send, check, lastCode, stored } = setUpVerification();
    const lead = await aLead();
    await send(lead);
    const code = lastCode();
    const responses = await Promise.all(times(20, () => check(lead, code, fromNewAddress())));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400).map(errorCode)).toEqual(times(19, () => 'code_invalid'));
    expect(JSON.parse(String((await stored(lead)).verification))).toMatchObject({ wrong: 0, lockedUntilMs: 0 });
  }
});

test('five of 40 concurrent wrong checks get 400, the others get 429, and the lead is locked', async () => {
  const { aLead, send, check, lastCode } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  const responses = await Promise.all(times(40, () => check(lead, wrongCode(lastCode()), fromNewAddress())));
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(5);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(35);
  expect(errorCode(await check(lead, lastCode()))).toBe('too_many_attempts');
});

test('six concurrent guesses, one of them correct, never use more than five attempts', async () => {
  for (let round = 0; round < 10; round++) {
    const { aLead, send, check, lastCode, stored } = setUpVerification();
    const lead = await aLead();
    await send(lead);
    const code = lastCode();
    const guesses = [...times(5, () => wrongCode(code)), code];
    guesses.push(...guesses.splice(0, round % 6));
    const responses = await Promise.all(guesses.map((guess) => check(lead, guess, fromNewAddress())));
    const count = (status: number) => responses.filter((response) => response.status === status).length;
    expect(count(400)).toBeLessThanOrEqual(5);
    expect(count(200) + count(429)).toBeGreaterThanOrEqual(1);
    expect(count(200)).toBeLessThanOrEqual(1);
    const { wrong, verified } = JSON.parse(String((await stored(lead)).verification));
    expect(verified).toHaveLength(count(200));
    if (count(200) === 1) expect(wrong).toBeLessThanOrEqual(4);
  }
});

test('concurrent wrong checks over many leads do not exceed the destination’s twenty attempts', async () => {
  const { aLead, send, sent, check, clock } = setUpVerification();
  const leads = await Promise.all(times(10, () => aLead({ phone: '+4930901829' })));
  for (const lead of leads) {
    expect((await send(lead)).status).toBe(200);
    clock.ms += 31_000;
  }
  const codes = new Set(sent.map(codeIn));
  const wrong = Array.from({ length: 11 }, (_, digit) => `${100_000 + digit}`).find((code) => !codes.has(code));
  const responses = await Promise.all(leads.flatMap((lead) => times(5, () => check(lead, wrong, fromNewAddress()))));
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(20);
  clock.ms += 61 * 60_000;
  const [lead] = leads;
  if (lead === undefined) throw new Error('There is no lead.');
  await send(lead);
  expect(errorCode(await check(lead, wrong))).toBe('too_many_attempts');
});

test('if a write is repeated because its response was lost, the repetition is recognized and not counted again', async () => {
  const real = createDynamoLeadVerificationRepository();
  const again: LeadVerificationRepository = {
    ...real,
    replace: async (...given) => {
      await real.replace(...given);
      return real.replace(...given);
    },
  };
  const { aLead, send, check, lastCode, stored } = setUpVerification({ ports: { leads: again } });
  const lead = await aLead();
  expect((await send(lead)).status).toBe(200);
  expect(errorCode(await check(lead, wrongCode(lastCode())))).toBe('code_invalid');
  expect(JSON.parse(String((await stored(lead)).verification))).toMatchObject({ wrong: 1 });
  expect((await check(lead, lastCode())).status).toBe(200);
});

test('429: if other requests change a lead continuously, the response does not reveal whether a code is correct', async () => {
  const real = createDynamoLeadVerificationRepository();
  const busy: LeadVerificationRepository = { ...real, replace: async () => false };
  const calm = { is: true };
  const leads: LeadVerificationRepository = {
    find: real.find,
    replace: (...given) => (calm.is ? real : busy).replace(...given),
  };
  const { aLead, send, check, lastCode, clock } = setUpVerification({ ports: { leads } });
  const lead = await aLead();
  await send(lead);
  calm.is = false;
  for (const code of [lastCode(), wrongCode(lastCode())]) {
    expect(await check(lead, code)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: { code: 'rate_limited' } },
    });
  }
  clock.ms += 31_000;
  expect((await send(lead)).status).toBe(429);
  calm.is = true;
  expect((await send(lead)).status).toBe(200);
  for (let count = 0; count < 4; count++) {
    expect(errorCode(await check(lead, wrongCode(lastCode())))).toBe('code_invalid');
  }
  expect((await check(lead, lastCode())).status).toBe(200);
});
