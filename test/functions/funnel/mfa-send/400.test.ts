import { expect, test } from 'vitest';
import { useDynamo } from '../../../support/dynamo.ts';
import { aField } from '../../../support/leads/submit.ts';
import { EMAIL, PHONE, setUpVerification } from '../../../support/verification/verification.ts';

const { callsOf } = useDynamo();

test.each([
  ['lead_id', undefined],
  ['lead_id', null],
  ['lead_id', ''],
  ['lead_id', 7],
  ['update_token', undefined],
  ['update_token', null],
  ['update_token', ''],
  ['channel', 'fax'],
  ['channel', 1],
  ['channel', null],
])('400: if %s is %j, the message names this property and nothing is read', async (member, value) => {
  const { aLead, send, sent } = setUpVerification();
  const lead = await aLead();
  const calls = await callsOf(async () => {
    expect(await send({ ...lead, [member]: value })).toMatchObject({
      status: 400,
      body: { error: { code: 'bad_request', message: expect.stringContaining(`body.${member} `) } },
    });
  });
  expect(calls).toEqual([]);
  expect(sent).toEqual([]);
});

test.each([
  ['has no contact value', { name: 'Ada' }],
  ['has contact values that are not texts', { email: { a: 1 }, phone: 7 }],
  ['has contact values that are not valid', { email: 'ada at shop', phone: '12' }],
  ['has an address with a line break', { email: 'ada@shop.example\nBcc: eve@shop.example' }],
  ['has only a number of a country that the funnel does not allow', { phone: '+12133734253' }],
])('400: a lead that %s gets no code, and nothing is counted', async (_, data) => {
  const { aLead, send, sent } = setUpVerification();
  const lead = await aLead(data);
  const calls = await callsOf(async () => {
    expect(await send(lead)).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
  });
  expect(calls).toEqual(['GetItem']);
  expect(sent).toEqual([]);
});

test('400: rejects a channel for which the lead has no value', async () => {
  const { aLead, send, sent } = setUpVerification();
  const response = await send({ ...(await aLead({ email: EMAIL })), channel: 'sms' });
  expect(response).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('body.channel') } },
  });
  expect(sent).toEqual([]);
});

test('400: rejects a channel for which the deployment has no sender', async () => {
  const { aLead, send, sent } = setUpVerification({ channels: ['email'] });
  const lead = await aLead();
  expect((await send({ ...lead, channel: 'sms' })).status).toBe(400);
  expect(sent).toEqual([]);
  expect((await send(lead)).body).toMatchObject({ data: { available_channels: ['email'] } });
});

test('400: sends no code to a non-verifiable e-mail field or to a verifiable text field', async () => {
  const fields = [aField({ id: 'email', type: 'email' }), aField({ id: 'name', type: 'text', verifiable: true })];
  const { aLead, send, sent } = setUpVerification({ fields });
  expect((await send(await aLead({ email: EMAIL, name: EMAIL }))).status).toBe(400);
  expect(sent).toEqual([]);
});

test.each([
  [{ smsCountries: ['at', 'US'] }, '+12133734253', 200],
  [{ smsCountries: ['AT'] }, PHONE, 400],
  [{ smsCountries: [] }, PHONE, 400],
  // Several countries have the calling code +1, so the country of this number follows from its area code.
  [{ smsCountries: ['US'] }, '+14165550123', 400],
  [{ smsCountries: ['CA'] }, '+14165550123', 200],
])('with the settings %j, an SMS to %s gets the status %i', async (overrides, phone, status) => {
  const { aLead, send } = setUpVerification({
    funnel: { verification: { language: 'de', messages: {}, ...overrides } },
  });
  expect((await send(await aLead({ phone }))).status).toBe(status);
});

test('400: sends no SMS if the funnel has no smsCountries, and neither its version nor the field has a country', async () => {
  const { aLead, send } = setUpVerification({ fields: [aField({ id: 'phone', type: 'phone', verifiable: true })] });
  expect((await send(await aLead())).status).toBe(400);
});
