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
])('400: %s is %j; names the path and reads nothing', async (member, value) => {
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
  ['holds no contact value', { name: 'Ada' }],
  ['holds something else where an address is declared', { email: { a: 1 }, phone: 7 }],
  ['holds what is no address any more', { email: 'ada at shop', phone: '12' }],
  ['holds an address with a line break', { email: 'ada@shop.example\nBcc: eve@shop.example' }],
  ['holds a number of a country that the funnel does not allow', { phone: '+12133734253' }],
])('400: a lead that %s; counts nothing', async (_, data) => {
  const { aLead, send, sent } = setUpVerification();
  const lead = await aLead(data);
  const calls = await callsOf(async () => {
    expect(await send(lead)).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
  });
  expect(calls).toEqual(['GetItem']);
  expect(sent).toEqual([]);
});

test('400: a channel that this lead does not have', async () => {
  const { aLead, send, sent } = setUpVerification();
  const response = await send({ ...(await aLead({ email: EMAIL })), channel: 'sms' });
  expect(response).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('body.channel') } },
  });
  expect(sent).toEqual([]);
});

test('400: a channel that the deployment has no sender for', async () => {
  const { aLead, send, sent } = setUpVerification({ channels: ['email'] });
  const lead = await aLead();
  expect((await send({ ...lead, channel: 'sms' })).status).toBe(400);
  expect(sent).toEqual([]);
  expect((await send(lead)).body).toMatchObject({ data: { available_channels: ['email'] } });
});

test('400: a field that the funnel does not declare verifiable', async () => {
  const fields = [aField({ id: 'email', type: 'email' }), aField({ id: 'name', type: 'text', verifiable: true })];
  const { aLead, send, sent } = setUpVerification({ fields });
  expect((await send(await aLead({ email: EMAIL, name: EMAIL }))).status).toBe(400);
  expect(sent).toEqual([]);
});

test.each([
  [{ smsCountries: ['at', 'US'] }, '+12133734253', 200],
  [{ smsCountries: ['AT'] }, PHONE, 400],
  [{ smsCountries: [] }, PHONE, 400],
  // One calling code, several countries.
  [{ smsCountries: ['US'] }, '+14165550123', 400],
  [{ smsCountries: ['CA'] }, '+14165550123', 200],
])('SMS with countries %j to %s: %i', async (overrides, phone, status) => {
  const { aLead, send } = setUpVerification({
    funnel: { verification: { language: 'de', messages: {}, ...overrides } },
  });
  expect((await send(await aLead({ phone }))).status).toBe(status);
});

test('400: sends no SMS if neither funnel nor field has a country', async () => {
  const { aLead, send } = setUpVerification({ fields: [aField({ id: 'phone', type: 'phone', verifiable: true })] });
  expect((await send(await aLead())).status).toBe(400);
});
