import { expect, test } from 'vitest';
import { useDynamo } from '../../../support/dynamo.ts';
import { codeIn, errorCode, setUpVerification, wrongCode } from '../../../support/verification/verification.ts';

const { callsOf } = useDynamo();

const MINUTE_MS = 60_000;

test.each([
  ['lead_id', null],
  ['lead_id', ''],
  ['update_token', undefined],
  ['update_token', ''],
  ['code', undefined],
  ['code', null],
  ['code', ''],
  ['code', 123_456],
  ['code', ['123456']],
])(
  '400: if %s is %j, the message names this property; the check counts only towards the client address’s limit',
  async (member, value) => {
    const { aLead, checkBody } = setUpVerification();
    const lead = await aLead();
    const calls = await callsOf(async () => {
      expect(await checkBody({ ...lead, code: '123456', [member]: value })).toMatchObject({
        status: 400,
        body: { error: { code: 'bad_request', message: expect.stringContaining(`body.${member} `) } },
      });
    });
    expect(calls).toEqual(['UpdateItem']);
  },
);

test.each(['wrong', '', '12345', '1234567', 'abcdef', '💥'.repeat(50), '1'.repeat(100_000)])(
  '400 code_invalid: a wrong code leaves the value unverified (%#)',
  async (typed) => {
    const { aLead, send, check, lastCode, stored } = setUpVerification();
    const lead = await aLead();
    await send(lead);
    const response = await check(lead, typed === 'wrong' ? wrongCode(lastCode()) : typed === '' ? ' ' : typed);
    expect(response).toMatchObject({
      status: 400,
      body: {
        error: { code: 'code_invalid', message: expect.stringMatching(/^body\.code is wrong or was already used\./) },
      },
    });
    expect(JSON.parse(String((await stored(lead)).verification))).toMatchObject({ wrong: 1, verified: [] });
    expect((await check(lead, lastCode())).status).toBe(200);
  },
);

test('400 code_invalid: rejects a code if no code was sent', async () => {
  const { aLead, check } = setUpVerification();
  expect(errorCode(await check(await aLead(), '123456'))).toBe('code_invalid');
  expect(errorCode(await check(await aLead({ name: 'Ada' }), '123456'))).toBe('code_invalid');
});

test('400: ten minutes after a send, its code is reported as code_expired; a day later, it is reported as code_invalid', async () => {
  const { aLead, send, check, lastCode, clock, stored } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  clock.ms += 10 * MINUTE_MS;
  expect(await check(lead, lastCode())).toMatchObject({ status: 400, body: { error: { code: 'code_expired' } } });
  expect(JSON.parse(String((await stored(lead)).verification))).toMatchObject({ wrong: 1, verified: [] });
  expect(errorCode(await check(lead, wrongCode(lastCode())))).toBe('code_invalid');
  clock.ms += 24 * 60 * MINUTE_MS;
  expect(errorCode(await check(lead, lastCode()))).toBe('code_invalid');
});

test('200: accepts a code one millisecond before it expires', async () => {
  const { aLead, send, check, lastCode, clock } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  clock.ms += 10 * MINUTE_MS - 1;
  expect((await check(lead, lastCode())).status).toBe(200);
});

test('400 code_invalid: rejects a code after three later sends', async () => {
  const { aLead, send, check, sent, clock } = setUpVerification();
  const lead = await aLead();
  for (let count = 0; count < 4; count++) {
    await send(lead);
    clock.ms += 31_000;
  }
  const [first, second] = sent.map(codeIn);
  expect(errorCode(await check(lead, first))).toBe('code_invalid');
  expect((await check(lead, second)).status).toBe(200);
});

test('400 code_invalid: rejects a code if the address was changed; 200: accepts the code if the address was restored', async () => {
  const { aLead, send, check, change, lastCode } = setUpVerification();
  const lead = await aLead({ email: 'ada@shop.example' });
  await send(lead);
  await change(lead, { email: 'eve@shop.example' });
  expect(errorCode(await check(lead, lastCode()))).toBe('code_invalid');
  await change(lead, { email: null });
  expect(errorCode(await check(lead, lastCode()))).toBe('code_invalid');
  await change(lead, { email: 'ada@shop.example' });
  expect((await check(lead, lastCode())).status).toBe(200);
});

test('400 code_invalid: after a code has verified an address, the same code does not verify a changed address', async () => {
  const { aLead, send, check, change, lastCode, clock } = setUpVerification();
  const lead = await aLead({ email: 'ada@shop.example' });
  await send(lead);
  await check(lead, lastCode());
  clock.ms += 1_000;
  await change(lead, { email: 'eve@shop.example' });
  expect(errorCode(await check(lead, lastCode()))).toBe('code_invalid');
});

test('400 code_invalid: rejects another lead’s code for the same address', async () => {
  const { aLead, send, check, lastCode, clock } = setUpVerification();
  const [one, other] = [await aLead(), await aLead()];
  await send(one);
  const code = lastCode();
  clock.ms += 31_000;
  await send(other);
  expect(errorCode(await check(other, code))).toBe('code_invalid');
});

test('400 code_invalid: rejects a correct code if a concurrent check has used it', async () => {
  const { aLead, send, check, lastCode, clock } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  const arrivedAtMs = clock.ms + 100;
  expect((await check(lead, lastCode())).status).toBe(200);
  expect(errorCode(await check(lead, lastCode(), { arrivedAtMs }))).toBe('code_invalid');
  expect((await check(lead, lastCode())).status).toBe(200);
});
