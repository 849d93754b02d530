import { expect, test } from 'vitest';
import { useDynamo } from '../../../support/dynamo.ts';
import { DAY_MS, NOON } from '../../../support/leads/lead-repository.ts';
import { aField } from '../../../support/leads/submit.ts';
import { codeIn, contactFields, EMAIL, PHONE, setUpVerification } from '../../../support/verification/verification.ts';

const { callsOf } = useDynamo();

test('200: sends six digits by e-mail and returns the masked destination', async () => {
  const { aLead, send, sent, stored, lastCode } = setUpVerification();
  const lead = await aLead();
  expect(await send(lead)).toMatchObject({
    status: 200,
    body: { data: { channel: 'email', masked_destination: 'a***@s***.example', available_channels: ['email', 'sms'] } },
  });
  expect(sent).toMatchObject([{ channel: 'email', to: EMAIL, sender: 'Northlight Solar' }]);
  expect(lastCode()).toMatch(/^\d{6}$/);
  const { verification } = await stored(lead);
  expect(verification).not.toContain(lastCode());
  expect(verification).not.toContain(EMAIL);
});

test('200: sends the code through the requested channel', async () => {
  const { aLead, send, sent } = setUpVerification();
  const response = await send({ ...(await aLead()), channel: 'sms' });
  expect(response.body).toEqual({
    data: { channel: 'sms', masked_destination: '+49*****20', available_channels: ['email', 'sms'] },
  });
  expect(sent).toEqual([{ channel: 'sms', to: PHONE, text: expect.stringContaining(codeIn(sent[0])) }]);
});

test('200: if several fields fit the channel, sends the code to the first field that has a value', async () => {
  const more = [aField({ id: 'work', type: 'email', verifiable: true }), ...contactFields()];
  const { aLead, send, sent } = setUpVerification({ fields: more });
  expect((await send(await aLead({ email: EMAIL }))).status).toBe(200);
  expect((await send(await aLead({ email: 'late@shop.example', work: 'work@shop.example' }))).status).toBe(200);
  expect(sent.map(({ to }) => to)).toEqual([EMAIL, 'work@shop.example']);
});

test('200: for a verified value, sends and counts nothing, and returns the same response as a send', async () => {
  const { aLead, send, check, sent, lastCode, clock } = setUpVerification();
  const lead = await aLead();
  const first = await send(lead);
  await check(lead, lastCode());
  clock.ms += 1_000;
  const again = await callsOf(async () => expect((await send(lead)).body).toEqual(first.body));
  expect(sent).toHaveLength(1);
  expect(again).toEqual(['GetItem']);
});

test('200: sends a new code to a changed value, but no code to a restored value, because that value is still verified', async () => {
  const { aLead, send, check, change, sent, lastCode, clock } = setUpVerification();
  const lead = await aLead();
  await send(lead);
  await check(lead, lastCode());
  await change(lead, { email: 'grace@shop.example' });
  clock.ms += 60_000;
  await send(lead);
  expect(sent.map(({ to }) => to)).toEqual([EMAIL, 'grace@shop.example']);
  await change(lead, { email: EMAIL });
  clock.ms += 60_000;
  await send(lead);
  expect(sent).toHaveLength(2);
  expect((await check(lead, '000000')).status).toBe(200);
});

test.each([
  ['en-GB,de;q=0.5', /is your verification code/],
  ['fr,de-AT;q=0.8', /ist Ihr Bestätigungscode/],
  ['xx', /ist Ihr Bestätigungscode/],
  ['pl', /Kod: \d{6}/],
])('200: selects the template for Accept-Language %s', async (acceptLanguage, subject) => {
  const messages = { pl: { subject: 'Kod: {{code}}', text: '{{code}} ({{minutes}} min) {{sender}}', sms: '{{code}}' } };
  const { aLead, send, sent } = setUpVerification({
    funnel: { verification: { sender: 'Słońce', language: 'de', messages } },
  });
  expect((await send(await aLead(), { headers: { 'accept-language': acceptLanguage } })).status).toBe(200);
  expect(sent).toMatchObject([{ sender: 'Słońce', subject: expect.stringMatching(subject) }]);
});

test('200: sends a code if the funnel was unpublished an hour ago', async () => {
  const unpublishedAt = new Date(NOON - DAY_MS / 24).toISOString();
  const { aLead, send, sent } = setUpVerification({ funnel: { unpublishedAt } });
  expect((await send(await aLead())).status).toBe(200);
  expect(sent).toHaveLength(1);
});

test('a send makes one read and one write of the lead, and one write for each limit', async () => {
  const { aLead, send } = setUpVerification();
  const [one, other] = [await aLead(), await aLead()];
  const counted = ['UpdateItem', 'UpdateItem', 'UpdateItem', 'UpdateItem'];
  expect(await callsOf(() => send(one))).toEqual(['GetItem', ...counted, 'UpdateItem']);
  expect(await callsOf(() => send({ ...other, channel: 'sms' }))).toEqual([
    'GetItem',
    ...counted,
    'UpdateItem',
    'UpdateItem',
  ]);
});
