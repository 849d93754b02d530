import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { anEvent, at, DAY_MS, NOW, nested, payloadOf, setUpIngest, times } from '../../../support/analytics/events.ts';

test.each([
  ['body.events', {}],
  ['body.events', { events: [] }],
  ['body.events', { events: {} }],
  ['body.events', { events: null }],
  ['body.events', { events: 'x' }],
  ['body.events', { events: times(501, () => ({})) }],
  ['body', []],
  ['body', '{"events":['],
  ['body', ''],
  ['body', { events: [anEvent({ payload: nested(40) })] }],
])('400: if the batch itself is invalid, the message names %s and nothing is stored', async (path, body) => {
  const { post, records } = setUpIngest();
  const response = await post(body);
  expect(response).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
  expect((response.body as { error: { message: string } }).error.message.split(' ')[0]).toBe(path);
  expect(records).toEqual([]);
});

test('400: rejects a funnel id in the path that is not a UUID', async () => {
  const { call } = setUpIngest();
  expect(await call({ path: { id: 'x' }, body: { events: [anEvent()] } })).toMatchObject({
    status: 400,
    body: { error: { message: 'path.id must be a UUID.' } },
  });
});

test('403: rejects an origin that the funnel does not allow, and stores nothing', async () => {
  const { post, records } = setUpIngest({ funnel: { allowedOrigins: ['https://shop.example'] } });
  const response = await post({ events: [anEvent()] }, { origin: 'https://other.example' });
  expect(response).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  expect(records).toEqual([]);
});

test.each([
  ['archived', { archivedAt: at(NOW) }],
  ['never published', { publishedVersionId: null }],
  ['unpublished a day ago', { unpublishedAt: at(NOW - DAY_MS) }],
])('404: rejects events of a funnel that was %s, and stores nothing', async (_, funnel) => {
  const { send, records } = setUpIngest({ funnel });
  expect(await send(anEvent())).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect(records).toEqual([]);
});

test('400 or 404: if the funnel is unknown, an invalid batch gets 400, and a valid batch gets 404', async () => {
  const { call } = setUpIngest();
  const path = { id: randomUUID() };
  expect((await call({ path, body: { events: [anEvent()] } })).status).toBe(404);
  expect((await call({ path, body: { events: [] } })).status).toBe(400);
});

test('413: rejects a body of more than 1 MiB, and stores nothing', async () => {
  const { send, records } = setUpIngest();
  const events = times(70, () => anEvent({ payload: payloadOf(16 * 1024) }));
  expect((await send(...events)).status).toBe(413);
  expect(records).toEqual([]);
});

test('415: rejects the content type text/html', async () => {
  const { post } = setUpIngest();
  expect((await post({ events: [anEvent()] }, { 'content-type': 'text/html' })).status).toBe(415);
});

test('503: if the stream does not accept the batch, the response says when to retry', async () => {
  const { send } = setUpIngest({ stream: { append: async () => Promise.reject(new Error('shard-7 is throttled')) } });
  const response = await send(anEvent());
  expect(response).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
    body: { error: { code: 'service_unavailable' } },
  });
  expect(response.text).not.toContain('shard');
});

test('503: the request fails if the stream does not accept the second record of its batch', async () => {
  const taken: Uint8Array[] = [];
  const append = async (record: Uint8Array) => {
    if (taken.length > 0) throw new Error('throttled');
    taken.push(record);
  };
  const { send } = setUpIngest({ stream: { append } });
  expect((await send(...times(100, () => anEvent({ payload: payloadOf(9_000) })))).status).toBe(503);
});
