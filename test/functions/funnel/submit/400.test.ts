import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { headersOf } from '../../../../shared/webhooks/sign-message.ts';
import { createTestMessage } from '../../../../shared/webhooks/test-message.ts';
import { setUpSubmit } from '../../../support/leads/submit.ts';

const badRequest = (message: RegExp) => ({
  status: 400,
  body: { error: { code: 'bad_request', message: expect.stringMatching(message) } },
});

test.each([
  ['{}', /body\.data/],
  ['{"data":null}', /body\.data/],
  ['{"data":[]}', /body\.data/],
  ['{"data":"{}"}', /body\.data/],
  ['{"data":{"":1}}', /body\.data/],
  [`{"data":{"${'k'.repeat(129)}":1}}`, /body\.data/],
  [`{"data":{${Array.from({ length: 201 }, (_, key) => `"${key}":1`)}}}`, /body\.data/],
  ['{"data":{},"lead_id":7,"update_token":"t"}', /body\.lead_id/],
  ['{"data":{},"lead_id":"a","update_token":["t"]}', /body\.update_token/],
  ['{"data":{},"lead_id":"a"}', /body\.update_token/],
  ['{"data":{},"lead_id":"","update_token":"t"}', /body\.lead_id/],
  ['{"data":{},"lead_id":"a","update_token":null}', /body\.update_token/],
  ['[]', /body/],
  ['{"data":{}', /body/],
  [`{"data":${'{"a":'.repeat(32)}1${'}'.repeat(32)}}`, /body/],
])(
  '400: for an invalid body (%#), the message names the invalid property or the body, and no lead is created',
  async (body, message) => {
    const { post, stored } = setUpSubmit();
    expect(await post(body)).toMatchObject(badRequest(message));
    expect(stored.all()).toEqual([]);
  },
);

test('400: rejects an Idempotency-Key that is not a UUID, with or without a handle, and saves nothing', async () => {
  const { post, aHandle, stored } = setUpSubmit();
  const handle = await aHandle({ name: 'Ada' });
  for (const key of ['', 'again', `${randomUUID()}x`]) {
    expect(await post({ data: {} }, { 'idempotency-key': key })).toMatchObject(badRequest(/header\.idempotency-key/));
    const update = await post({ ...handle, data: { name: null } }, { 'idempotency-key': key });
    expect(update).toMatchObject(badRequest(/header\.idempotency-key/));
  }
  expect(stored.all()).toMatchObject([{ submits: 1 }]);
});

test('400: rejects an Idempotency-Key that was used with another body, and writes and reveals nothing', async () => {
  const { post, stored } = setUpSubmit();
  const key = { 'idempotency-key': randomUUID() };
  await post({ data: { name: 'Ada' } }, key);
  const response = await post({ data: { name: 'Eve' } }, key);
  expect(response).toMatchObject(badRequest(/header\.idempotency-key/));
  expect(response.body).not.toHaveProperty('data');
  expect(stored.all()).toMatchObject([{ submits: 1 }]);
});

test('400: rejects a request with the headers of the service’s own webhook messages, and saves nothing', async () => {
  const { post, aHandle, stored } = setUpSubmit();
  const handle = await aHandle({ name: 'Ada' });
  const { id, body } = createTestMessage({ orgId: randomUUID(), endpointId: randomUUID(), nowMs: Date.now() });
  const headers = headersOf({ id, body, timestampSeconds: 0, secrets: ['whsec_YQ=='] });
  expect(await post(body, headers)).toMatchObject(badRequest(/header\.webhook-id .* Change the URL/));
  expect(await post({ ...handle, data: { name: null } }, headers)).toMatchObject(badRequest(/header\.webhook-id/));
  expect(stored.all()).toMatchObject([{ submits: 1 }]);
});

test('200: accepts a webhook-id header whose value does not have the form of the service’s message ids', async () => {
  const { post, stored } = setUpSubmit();
  for (const id of ['', '1', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', `msg_${randomUUID()}_1`, randomUUID()])
    expect(await post({ data: { name: 'Ada' } }, { 'webhook-id': id })).toMatchObject({ status: 200 });
  expect(stored.all()).toHaveLength(5);
});

test('400: rejects a funnel id that is not a UUID, and creates no lead', async () => {
  const { call, stored } = setUpSubmit();
  expect(await call({ path: { id: 'my-funnel' }, body: { data: {} } })).toMatchObject(badRequest(/path\.id/));
  expect(stored.all()).toEqual([]);
});
