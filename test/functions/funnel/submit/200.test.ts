import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { aField, handleIn, setUpSubmit } from '../../../support/leads/submit.ts';

const HANDLE = {
  data: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), update_token: expect.stringMatching(/^[\w-]{43}$/) },
};

test('200: creates a lead and returns its handle', async () => {
  const { post, dataOf } = setUpSubmit();
  const response = await post({ data: { name: 'Ada' } });
  expect(response).toMatchObject({ status: 200, body: HANDLE });
  expect(dataOf(handleIn(response).lead_id)).toEqual({ name: 'Ada' });
});

test('200: creates a lead if the handle is null or ""', async () => {
  const { post, stored } = setUpSubmit();
  for (const none of [null, '']) expect((await post({ data: {}, lead_id: none, update_token: none })).status).toBe(200);
  expect(stored.all()).toHaveLength(2);
});

test('200: updates the lead of the handle and returns the same handle', async () => {
  const { post, aHandle, dataOf, stored } = setUpSubmit();
  const handle = await aHandle({ name: 'Ada', age: 36 });
  const response = await post({ ...handle, data: { age: null, city: 'London' } });
  expect(response).toMatchObject({
    status: 200,
    body: { data: { id: handle.lead_id, update_token: handle.update_token } },
  });
  expect(dataOf(handle.lead_id)).toEqual({ name: 'Ada', city: 'London' });
  expect(stored.all()).toHaveLength(1);
});

test('200: by default, the handle stays valid for 30 days from the last submit', async () => {
  const { post, aHandle, clock } = setUpSubmit();
  const handle = await aHandle();
  for (let visit = 0; visit < 3; visit++) {
    clock.ms += 30 * 86_400_000 - 1;
    expect((await post({ ...handle, data: { visit } })).status).toBe(200);
  }
});

test('200: stores declared values in normalized form', async () => {
  const { post, dataOf } = setUpSubmit({
    fields: [aField({ id: 'phone', type: 'phone' }), aField({ id: 'age', type: 'integer' })],
  });
  const response = await post({ data: { phone: '030 901820', age: '42' } });
  expect(response.status).toBe(200);
  expect(dataOf(handleIn(response).lead_id)).toEqual({ phone: '+4930901820', age: 42 });
});

test('200: stores undeclared values exactly as sent', async () => {
  const { post, stored } = setUpSubmit({ fields: [aField({ id: 'age', type: 'integer' })] });
  const sent = '"__proto__":{"x":1},"constructor":[1e400,12345678901234567890,1e300],"lone":"\\ud800","t":" x "';
  expect((await post(`{"data":{${sent}}}`)).status).toBe(200);
  expect([...(stored.all()[0]?.data ?? [])].map(([key, json]) => `"${key}":${json}`).join(',')).toBe(sent);
  expect(({} as { x?: number }).x).toBeUndefined();
});

test('200: removes NUL from keys and values', async () => {
  const { post, dataOf } = setUpSubmit();
  const response = await post('{"data":{"a\\u0000b":["x\\u0000y"],"gone":"\\u0000"}}');
  expect(response.status).toBe(200);
  expect(dataOf(handleIn(response).lead_id)).toEqual({ ab: ['xy'] });
});

const side = {
  page_url: 'https://shop.example/start?a=b',
  step_id: 'contact',
  webcomponent_args: { theme: 'dark' },
  cookie_consent: { cmp: 'usercentrics', services: { maps: true }, updatedBy: null, extra: 1 },
};

test('200: stores the optional metadata and the device class', async () => {
  const { post, stored } = setUpSubmit();
  const response = await post({ data: {}, ...side }, { 'User-Agent': 'Mozilla/5.0 (iPhone) Mobile/15E148' });
  expect(response.status).toBe(200);
  expect(stored.all()[0]?.last).toMatchObject({
    pageUrl: side.page_url,
    stepId: 'contact',
    webcomponentArgs: JSON.stringify(side.webcomponent_args),
    cookieConsent: JSON.stringify(side.cookie_consent),
    deviceClass: 'mobile',
  });
});

const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`);

test.each([
  ['page_url', 'shop.example'],
  ['page_url', 42],
  ['page_url', `https://shop.example/${'a'.repeat(2048)}`],
  ['page_url', 'javascript:alert(1)'],
  ['page_url', deep],
  ['step_id', ''.padStart(129, 's')],
  ['step_id', { id: 1 }],
  ['step_id', '\ud800'],
  ['webcomponent_args', []],
  ['webcomponent_args', 'theme=dark'],
  ['webcomponent_args', { theme: 'd'.repeat(16_385) }],
  ['webcomponent_args', deep],
  ['cookie_consent', true],
  ['cookie_consent', {}],
  ['cookie_consent', { cmp: '' }],
  ['cookie_consent', { cmp: 'c'.repeat(65) }],
  ['cookie_consent', { cmp: 'usercentrics', hash: 7 }],
  ['cookie_consent', { cmp: 'usercentrics', services: { list: 's'.repeat(32_768) } }],
  ['cookie_consent', { cmp: 'usercentrics', services: deep }],
  ['funnel_version_id', 'v1'],
  ['funnel_version_id', 7],
])('200: drops a %s that is malformed, too large or too deep, and saves the lead', async (name, value) => {
  const { post, dataOf, stored } = setUpSubmit();
  const response = await post({ data: { name: 'Ada' }, ...side, [name]: value });
  expect(response.status).toBe(200);
  expect(dataOf(handleIn(response).lead_id)).toEqual({ name: 'Ada' });
  const kept = stored.all()[0]?.last;
  const others = {
    page_url: kept?.pageUrl,
    step_id: kept?.stepId,
    webcomponent_args: kept?.webcomponentArgs,
    cookie_consent: kept?.cookieConsent,
  };
  for (const [other, text] of Object.entries(others)) expect(text === undefined).toBe(other === name);
});

test('200 or 422: validates by the version in the request; without a known version, by the published version', async () => {
  const old = randomUUID();
  const { post } = setUpSubmit({
    fields: [aField({ id: 'age', type: 'integer' })],
    versions: { [old]: [aField({ id: 'age', type: 'text' })] },
  });
  const body = { data: { age: 'forty' } };
  expect((await post({ ...body, funnel_version_id: old.toUpperCase() })).status).toBe(200);
  expect((await post({ ...body, funnel_version_id: randomUUID() })).status).toBe(422);
  expect((await post(body)).status).toBe(422);
});

test('200: accepts submits for a day after the funnel was unpublished', async () => {
  const { post, clock } = setUpSubmit({ funnel: { unpublishedAt: '2026-03-01T12:00:00.000Z' } });
  clock.ms += 86_399_999;
  expect((await post({ data: {} })).status).toBe(200);
});

test('200: accepts an allowed origin, and a request without an Origin header', async () => {
  const { post } = setUpSubmit({ funnel: { allowedOrigins: ['https://shop.example'] } });
  expect((await post({ data: {} }, { origin: 'https://shop.example' })).status).toBe(200);
  expect((await post({ data: {} })).status).toBe(200);
});

test('200: a lead expires after the funnel’s retention period, and its token expires at the same time or earlier', async () => {
  const { post, stored, clock } = setUpSubmit({ funnel: { leadRetentionDays: 7 } });
  expect((await post({ data: {} })).status).toBe(200);
  const endsAtMs = clock.ms + 7 * 86_400_000;
  expect(stored.all()[0]?.last).toMatchObject({ retainedUntilMs: endsAtMs, tokenExpiresAtMs: endsAtMs });
});

test('200: only a valid submit of the last step completes the lead', async () => {
  const { post, stored } = setUpSubmit({
    fields: [
      aField({ id: 'name', type: 'text', stepId: 'one' }),
      aField({ id: 'age', type: 'integer', stepId: 'two', required: true }),
      aField({ id: 'city', type: 'text', stepId: 'one' }),
    ],
  });
  const outcomes: unknown[] = [];
  for (const [step_id, data] of [
    ['one', { name: 'Ada' }],
    ['two', { age: 'forty' }],
    ['two', {}],
    ['three', { age: 40 }],
    [undefined, { age: 40 }],
    ['two', { age: 40 }],
  ] as const) {
    const { status } = await post({ step_id, data });
    outcomes.push([step_id, status, stored.all().at(-1)?.last.isValidLastStep]);
  }
  expect(outcomes).toEqual([
    ['one', 200, false],
    ['two', 422, false],
    ['two', 422, false],
    ['three', 200, false],
    [undefined, 200, false],
    ['two', 200, true],
  ]);
});

test('200: no submit completes a lead of a funnel without steps', async () => {
  const { post, stored } = setUpSubmit();
  expect((await post({ data: {}, step_id: 'any' })).status).toBe(200);
  expect((await post({ data: {} })).status).toBe(200);
  expect(stored.all().map(({ last }) => last.isValidLastStep)).toEqual([false, false]);
});

test('200: the token expires the configured number of days after the last submit, unless its lead expires earlier', async () => {
  const { post, stored, clock, aHandle } = setUpSubmit({ settings: { tokenDays: 14 } });
  const handle = await aHandle();
  expect(stored.all()[0]?.last.tokenExpiresAtMs).toBe(clock.ms + 14 * 86_400_000);
  clock.ms += 86_400_000;
  expect((await post({ ...handle, data: {} })).status).toBe(200);
  expect(stored.all()[0]?.last.tokenExpiresAtMs).toBe(clock.ms + 14 * 86_400_000);
});

test('200: 20 concurrent requests with the same Idempotency-Key and body get the same handle and write once', async () => {
  const { post, stored } = setUpSubmit();
  const key = { 'Idempotency-Key': randomUUID() };
  const responses = await Promise.all(Array.from({ length: 20 }, () => post({ data: { name: 'Ada' } }, key)));
  expect(responses[0]).toMatchObject({ status: 200, body: HANDLE });
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(stored.all()).toMatchObject([{ submits: 1 }]);
});

test('200: if a create is retried with its Idempotency-Key after an update, it returns the handle and keeps the update', async () => {
  const { post, dataOf } = setUpSubmit();
  const key = { 'idempotency-key': randomUUID() };
  const first = await post({ data: { name: 'Ada' } }, key);
  expect(first.status).toBe(200);
  await post({ ...handleIn(first), data: { name: 'Grace' } });
  expect((await post({ data: { name: 'Ada' } }, key)).text).toBe(first.text);
  expect(dataOf(handleIn(first).lead_id)).toEqual({ name: 'Grace' });
});

test('200: a retry of the create with its Idempotency-Key makes the expired handle valid again', async () => {
  const { post, dataOf, clock } = setUpSubmit();
  const key = { 'idempotency-key': randomUUID() };
  const first = await post({ data: { name: 'Ada' } }, key);
  clock.ms += 31 * 86_400_000;
  expect((await post({ ...handleIn(first), data: { name: 'Grace' } })).status).toBe(403);
  expect((await post({ data: { name: 'Ada' } }, key)).text).toBe(first.text);
  expect((await post({ ...handleIn(first), data: { name: 'Grace' } })).status).toBe(200);
  expect(dataOf(handleIn(first).lead_id)).toEqual({ name: 'Grace' });
});

test('200: ignores the Idempotency-Key of an update', async () => {
  const { post, aHandle, dataOf } = setUpSubmit();
  const key = { 'idempotency-key': randomUUID() };
  const handle = await aHandle();
  await post({ data: { other: 'lead' } }, key);
  expect((await post({ ...handle, data: { a: 1 } }, key)).status).toBe(200);
  expect((await post({ ...handle, data: { b: 2 } }, key)).status).toBe(200);
  expect(dataOf(handle.lead_id)).toEqual({ a: 1, b: 2 });
});

test('200: ignores an unknown property, and accepts data of the maximum size', async () => {
  const { post, dataOf } = setUpSubmit();
  const data = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}`.padStart(128, '😀'), index]));
  const response = await post({ data, surprise: true });
  expect(response.status).toBe(200);
  expect(dataOf(handleIn(response).lead_id)).toEqual(data);
  const largest = `{"x":"${'a'.repeat(65_536 - 8)}"}`;
  expect((await post(`{"data":${largest}}`)).status).toBe(200);
});

test('200: saves the lead even if the metadata is nested 400,000 levels deep', async () => {
  const { post, dataOf } = setUpSubmit();
  const bottomless = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
  const response = await post(`{"data":{"name":"Ada"},"cookie_consent":{"cmp":"c","services":${bottomless}}}`);
  expect(response.status).toBe(200);
  expect(dataOf(handleIn(response).lead_id)).toEqual({ name: 'Ada' });
});

test('200: creates a lead despite misspelled properties, and warns in the response', async () => {
  const { post, aHandle, stored } = setUpSubmit({ fields: [aField({ id: 'roof_area', type: 'number' })] });
  const { lead_id: leadId, update_token: updateToken } = await aHandle();
  const response = await post({ leadId, updateToken, stepId: 'project', data: { roofArea: 80, other: 1 } });
  expect(response).toMatchObject({ status: 200, body: HANDLE });
  expect(response.headers['x-warning']?.split('? ')).toEqual([
    'body.leadId: did you mean lead_id',
    'body.updateToken: did you mean update_token',
    'body.stepId: did you mean step_id?',
  ]);
  expect(stored.all()).toHaveLength(2);
  const ofData = await post({ data: { roofArea: 80, other: 1 } });
  expect(ofData.headers['x-warning']).toBe('body.data.roofArea: did you mean roof_area?');
});

test('200: field names with umlauts or line breaks cause no header x-warning', async () => {
  const { post } = setUpSubmit({
    fields: [aField({ id: 'Größe', type: 'text' }), aField({ id: 'a\r\nb', type: 'text' })],
  });
  const response = await post({ data: { größe: 'x', 'A\r\nB': 'x' } });
  expect(response.status).toBe(200);
  expect(response.headers).not.toHaveProperty('x-warning');
});
