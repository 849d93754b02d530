import { expect, test } from 'vitest';
import { useDynamo } from '../../../support/dynamo.ts';
import { aField } from '../../../support/leads/submit.ts';
import {
  codeIn,
  contactFields,
  EMAIL,
  errorCode,
  setUpVerification,
  wrongCode,
} from '../../../support/verification/verification.ts';

const { callsOf } = useDynamo();

test('200: the correct code verifies the field to which it was sent', async () => {
  const { aLead, send, check, lastCode, stored } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  expect(await check(lead, lastCode())).toMatchObject({
    status: 200,
    body: { data: { verified: true, contact_field: 'email' } },
  });
  expect(JSON.parse(String((await stored(lead)).verification))).toMatchObject({ verified: [{ field: 'email' }] });
});

test('200: accepts a code with spaces, dashes or full-width digits', async () => {
  const { aLead, send, check, lastCode } = setUpVerification();
  for (const typed of [
    (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)} `,
    (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`,
    (code: string) => code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  ]) {
    const lead = await aLead({ email: `v${Math.random()}@shop.example` });
    await send(lead);
    expect((await check(lead, typed(lastCode()))).status).toBe(200);
  }
});

test('200: the first e-mail code and the SMS code still verify their fields after a second e-mail code is sent', async () => {
  const { aLead, send, check, sent, clock } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  await send({ ...lead, channel: 'sms' });
  clock.ms += 31_000;
  await send(lead);
  const [first, sms] = sent.map(codeIn);
  expect((await check(lead, first)).body).toEqual({ data: { verified: true, contact_field: 'email' } });
  expect((await check(lead, sms)).body).toEqual({ data: { verified: true, contact_field: 'phone' } });
});

test('200: verifies a second e-mail field separately', async () => {
  const fields = [aField({ id: 'work', type: 'email', verifiable: true }), ...contactFields()];
  const { aLead, send, check, change, lastCode, clock } = setUpVerification({ fields });
  const lead = await aLead({ email: EMAIL });
  await send(lead);
  expect((await check(lead, lastCode())).body).toMatchObject({ data: { contact_field: 'email' } });
  await change(lead, { work: 'work@shop.example' });
  await send(lead);
  clock.ms += 1_000;
  expect((await check(lead, lastCode())).body).toMatchObject({ data: { contact_field: 'work' } });
});

test('200: if no code is active and the value of the last send is verified, accepts any digits without writing the lead', async () => {
  const { aLead, send, check, lastCode } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  await check(lead, lastCode());
  const calls = await callsOf(async () => {
    expect(await check(lead, '000000')).toMatchObject({
      status: 200,
      body: { data: { verified: true, contact_field: 'email' } },
    });
  });
  expect(calls).toEqual(['UpdateItem', 'GetItem']);
});

test('200: if no code is active, any digits are accepted after a send for a verified e-mail address', async () => {
  const { aLead, send, check, lastCode, clock } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  await check(lead, lastCode());
  await send({ ...lead, channel: 'sms' });
  clock.ms += 11 * 60_000;
  expect((await check(lead, '000000')).status).toBe(400);
  await send(lead);
  expect((await check(lead, '000000')).body).toEqual({ data: { verified: true, contact_field: 'email' } });
});

test('400: if one value is verified and another value has an active code, each wrong code uses an attempt', async () => {
  const { aLead, send, check, lastCode } = setUpVerification();
  const lead = await aLead();
  await send({ ...lead, channel: 'sms' });
  const sms = lastCode();
  await send(lead);
  const mail = lastCode();
  expect((await check(lead, sms)).body).toEqual({ data: { verified: true, contact_field: 'phone' } });
  for (let count = 0; count < 5; count++) expect(errorCode(await check(lead, wrongCode(mail)))).toBe('code_invalid');
  expect(errorCode(await check(lead, mail))).toBe('too_many_attempts');
});

test('a correct check makes two writes, and a wrong check makes three writes', async () => {
  const { aLead, send, check, lastCode } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  const wrong = await callsOf(() => check(lead, wrongCode(lastCode())));
  expect(wrong).toEqual(['UpdateItem', 'GetItem', 'GetItem', 'UpdateItem', 'UpdateItem']);
  const right = await callsOf(async () => expect((await check(lead, lastCode())).status).toBe(200));
  expect(right).toEqual(['UpdateItem', 'GetItem', 'GetItem', 'UpdateItem']);
});
