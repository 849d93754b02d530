import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { aiStreamOperation } from '../../../../functions/funnel/ai-stream/operation.ts';
import { ModelError } from '../../../../shared/ai/language-model.ts';
import { HttpError } from '../../../../shared/http/errors.ts';
import type { RateLimiter } from '../../../../shared/platform/rate-limiter.ts';
import { aModel, setUpAiStream } from '../../../support/ai-stream.ts';
import { REQUEST_ID } from '../../../support/http.ts';

const anError = (status: number, code: string) => ({
  status,
  body: { error: { code, message: expect.stringMatching(/\.$/) } },
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'x-request-id': expect.stringMatching(REQUEST_ID),
  },
});

test.each([
  ['absent', undefined],
  ['null', null],
  ['a number', 7],
  ['empty', ''],
  ['only white space', ' \n\t '],
  ['too long', 'x'.repeat(4_001)],
  ['too long in code points', '\u{1f600}'.repeat(4_001)],
  ['half of a surrogate pair', '\ud800'],
])('400: rejects a prompt that is %s, calls no model and reserves no tokens', async (_, prompt) => {
  const { post, requests, used } = setUpAiStream();
  expect(await post(prompt)).toMatchObject(anError(400, 'bad_request'));
  expect(requests).toEqual([]);
  expect(used()).toEqual([0, 0]);
});

test('400: rejects invalid JSON, and a funnel id that is not a UUID', async () => {
  const { call, funnel } = setUpAiStream();
  expect(await call({ path: { id: funnel.id }, body: '{"prompt":' })).toMatchObject(anError(400, 'bad_request'));
  expect(await call({ path: { id: 'x' }, body: { prompt: 'Why?' } })).toMatchObject(anError(400, 'bad_request'));
});

test('403: rejects an origin that the funnel does not list, and calls no model', async () => {
  const { post, requests } = setUpAiStream({ funnel: { allowedOrigins: ['https://shop.example'] } });
  expect((await post('Why?', { origin: 'https://shop.example' })).status).toBe(200);
  expect(await post('Why?', { origin: 'https://other.example' })).toMatchObject(anError(403, 'forbidden'));
  expect(requests).toHaveLength(1);
});

test.each([
  ['was archived', { funnel: { archivedAt: '2026-02-01T00:00:00.000Z' } }],
  ['was never published', { funnel: { publishedVersionId: null } }],
  ['was unpublished a day ago', { funnel: { unpublishedAt: '2026-02-28T12:00:00.000Z' } }],
  ['has no AI block', { block: null }],
])('404: rejects a funnel that %s, calls no model and reserves no tokens', async (_, world) => {
  const { post, requests, used } = setUpAiStream(world);
  expect(await post('Why?')).toMatchObject(anError(404, 'not_found'));
  expect(requests).toEqual([]);
  expect(used()).toEqual([0, 0]);
});

test('404: rejects an unknown funnel, and calls no model', async () => {
  const { call, requests } = setUpAiStream();
  expect(await call({ path: { id: randomUUID() }, body: { prompt: 'Why?' } })).toMatchObject(anError(404, 'not_found'));
  expect(requests).toEqual([]);
});

test('413: rejects a body of more than 1 MiB before it checks the rate limit and the content type', async () => {
  const { call, funnel, limits } = setUpAiStream();
  const body = `{"prompt":"${'x'.repeat(1_048_576)}"}`;
  const response = await call({ path: { id: funnel.id }, body, headers: { 'content-type': 'text/csv' } });
  expect(response).toMatchObject(anError(413, 'payload_too_large'));
  expect(limits.taken('funnel-ai-stream-60s')).toBe(0);
});

test('415: rejects a content type other than JSON', async () => {
  const { post, requests } = setUpAiStream();
  expect(await post('Why?', { 'content-type': 'text/plain' })).toMatchObject(anError(415, 'unsupported_media_type'));
  expect(requests).toEqual([]);
});

test('429: rejects the 11th request of a client address in a minute, even if its body is invalid, and serves other addresses', async () => {
  const { call, funnel, requests } = setUpAiStream();
  const from = (ip: string, body: unknown = { prompt: 'Why?' }) => call({ path: { id: funnel.id }, body, ip });
  for (let index = 0; index < 10; index++) expect((await from('192.0.2.7')).status).toBe(200);
  const refused = await from('192.0.2.7', '{');
  expect(refused).toMatchObject(anError(429, 'rate_limited'));
  expect(refused.headers).toMatchObject({
    'retry-after': '42',
    'ratelimit-limit': '10',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '42',
  });
  expect((await from('198.51.100.7')).status).toBe(200);
  expect(requests).toHaveLength(11);
});

test.each([true, false])(
  '502: if the model fails before its first token, the error has no `code`; tokens are used only if billed (billed: %s)',
  async (billable) => {
    const { model } = aModel(async function* () {
      yield { text: '' };
      throw new ModelError('secret-host answered 500', { billable });
    });
    const { post, used } = setUpAiStream({ model });
    for (const accept of ['text/plain', 'text/event-stream']) {
      const response = await post('Why?', { accept });
      expect(response).toMatchObject({ ...anError(502, ''), body: expect.anything() });
      expect(response.body).toEqual({ error: { message: expect.stringMatching(/model failed to respond/) } });
      expect(response.text).not.toContain('secret-host');
      expect(() => z.strictObject(aiStreamOperation.errorSchemas[502].shape).parse(response.body)).not.toThrow();
    }
    expect(used().every((tokens) => (billable ? tokens > 0 : tokens === 0))).toBe(true);
  },
);

test('502: the request fails if the model produces no output', async () => {
  const { post } = setUpAiStream({ model: aModel([{ finish: 'content-filter' }]).model });
  expect((await post('Why?')).status).toBe(502);
});

test('503: calls no model if tokens cannot be counted', async () => {
  const limiter: RateLimiter = {
    consume: () =>
      Promise.reject(new HttpError(503, 'This cannot be allowed right now.', { headers: { 'Retry-After': '1' } })),
  };
  const { model, requests } = aModel([{ text: 'x' }]);
  const response = await setUpAiStream({ model, limiter }).post('Why?');
  expect(response).toMatchObject(anError(503, 'service_unavailable'));
  expect(response.headers['retry-after']).toBe('1');
  expect(requests).toEqual([]);
});

test('503: uses no tokens if the key of the model provider cannot be read', async () => {
  const { model } = aModel(async function* () {
    yield { text: '' };
    throw new HttpError(503, 'This cannot be checked right now.', { headers: { 'Retry-After': '5' } });
  });
  const { post, used } = setUpAiStream({ model });
  expect(await post('Why?')).toMatchObject(anError(503, 'service_unavailable'));
  expect(used()).toEqual([0, 0]);
});

test('500: an unexpected error reveals no details', async () => {
  const { model } = aModel(async function* () {
    yield { text: '' };
    throw new Error('secret-table-name');
  });
  const response = await setUpAiStream({ model }).post('Why?');
  expect(response).toMatchObject(anError(500, 'internal_error'));
  expect(response.text).not.toContain('secret');
});
