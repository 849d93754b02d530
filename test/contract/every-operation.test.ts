import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { declareOperation } from '../../functions/declare-operation.ts';
import { authorizedBodylessEndpoint } from '../../shared/http/bodyless-endpoint.ts';
import { authorizedEndpoint, publicEndpoint } from '../../shared/http/endpoint.ts';
import { HttpError } from '../../shared/http/errors.ts';
import { strictObject } from '../../shared/http/schemas.ts';
import { OrganizationPath } from '../../shared/organizations/paths.ts';
import { caller, proxyEvent, REQUEST_ID } from '../support/http.ts';
import { anOrganization } from '../support/organizations/members.ts';
import { beacon, list, note } from '../support/sample-operations.ts';

const id = '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59';
let seen: unknown[] = [];
beforeEach(() => {
  seen = [];
});

const echo = publicEndpoint(note, async ({ body }) => {
  seen.push(body);
  return { data: body };
});
const post = (body: unknown, headers: Record<string, string> = {}) =>
  caller(note, echo)({ path: { id }, body, headers });

test('200 and 400: a public response has a request id, must not be cached, and can be read by pages of any origin', async () => {
  const responses = [await post({}), await post('{')];
  expect(responses.map(({ status }) => status)).toEqual([200, 400]);
  for (const response of responses) {
    expect(response.headers).toMatchObject({
      'x-request-id': expect.stringMatching(REQUEST_ID),
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': expect.stringMatching(/^max-age=\d{8}$/),
    });
  }
});

test('a client cannot choose the request id of the response with the header x-request-id', async () => {
  expect((await post({}, { 'x-request-id': 'mine' })).headers['x-request-id']).not.toBe('mine');
});

test('requestContext.requestId is neither returned nor logged, because a client can choose this id with a header', async () => {
  const event = proxyEvent(note, { path: { id }, body: {} });
  const lines: string[] = [];
  const handler = publicEndpoint(note, async ({ log, requestId }) => {
    log.info('noted', { requestId });
    return { data: {} };
  });
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const response = await handler(event, {} as Context);
  spy.mockRestore();
  expect(event.requestContext.requestId).toBe('chosen-by-the-caller');
  expect(response.headers?.['x-request-id']).toBe(event.requestContext.extendedRequestId);
  expect(lines.join('')).toContain(event.requestContext.extendedRequestId);
  expect(lines.join('')).not.toContain('chosen-by-the-caller');
});

test.each([
  ['requestContext.identity', { extendedRequestId: 'JKJaXmPLvHcESHA=' }],
  ['requestContext', undefined],
])('a Lambda event without %s is handled, and the response has a request id', async (_, requestContext) => {
  const event = () =>
    ({ ...proxyEvent(note, { path: { id }, body: { said: 'hi' } }), requestContext }) as APIGatewayProxyEvent;
  const response = await echo(event(), {} as Context);
  expect(response).toMatchObject({ statusCode: 200, headers: { 'x-request-id': expect.stringMatching(/\S/) } });
  const broken = publicEndpoint(note, async () => {
    throw new Error('the cause');
  });
  expect(await broken(event(), {} as Context)).toMatchObject({ statusCode: 500 });
});

test.each(['{', '', '[1,', '{"a":1}x', 'nul', '\u0000', '{"a":\t"\u0001"}'])(
  '400: the body %j is rejected, because it is not JSON',
  async (body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
    expect(seen).toEqual([]);
  },
);

test.each(['[]', '1', '"x"', 'null', 'true'])('400: rejects the body %s, which is not an object', async (body) => {
  expect((await post(body)).status).toBe(400);
});

test('200: accepts application/json, types that end in +json, and a missing content type; 415: rejects other types', async () => {
  expect((await post({}, { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await post({}, { 'content-type': 'application/xml' })).status).toBe(415);
  expect((await post({}, { 'Content-Type': 'application/json; charset=utf-8' })).status).toBe(200);
  expect((await post({}, { 'content-type': 'application/vnd.api+json' })).status).toBe(200);
  expect((await post({})).status).toBe(200);
});

test('415: rejects an unsupported content type before parsing the body', async () => {
  expect((await post('{', { 'content-type': 'text/csv' })).status).toBe(415);
});

test('413: a body of more than 1 MiB, counted in bytes, is rejected before its content type is checked', async () => {
  const fits = JSON.stringify({ data: { x: 'ä'.repeat(524_279) } });
  expect(Buffer.byteLength(fits)).toBeLessThanOrEqual(1_048_576);
  expect((await post(fits)).status).toBe(200);
  const over = `{"data":{"x":"${'ä'.repeat(524_290)}"}}`;
  expect(await post(over, { 'content-type': 'text/csv' })).toMatchObject({
    status: 413,
    body: { error: { code: 'payload_too_large' } },
  });
});

const nested = (depth: number) => `{"data":${'{"a":'.repeat(depth - 2)}{}${'}'.repeat(depth - 2)}}`;

test('400: rejects a body with more than 32 levels of nesting; the outermost object is level 1', async () => {
  expect((await post(nested(32))).status).toBe(200);
  expect((await post(nested(33))).status).toBe(400);
  expect((await post(`{"data":{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}}`)).status).toBe(400);
});

test('the keys __proto__ and constructor are treated as data', async () => {
  const body = '{"data":{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}}';
  const response = await post(body);
  expect(response.text).toBe(`{"data":${body}}`);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test('NUL is removed from keys and values of public bodies; a backslash followed by the text u0000 is kept', async () => {
  const response = await post(
    '{"data":{"a\\u0000b":"x\\u0000y","c":"\\\\u0000","d":["\\u0000"],"__proto__":"\\u0000z"}}',
  );
  expect(response.text).toBe('{"data":{"data":{"ab":"xy","c":"\\\\u0000","d":[""],"__proto__":"z"}}}');
});

test('on public routes, unknown properties are ignored; declared texts are trimmed and normalized to NFC', async () => {
  expect((await post({ said: ' e\u0301 ', surprise: 1 })).body).toEqual({ data: { said: 'é' } });
});

test('400: rejects an Idempotency-Key that is not a UUID; 200: accepts a UUID if the header name is in upper case', async () => {
  expect(await post({}, { 'Idempotency-Key': 'again' })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringMatching(/^header\.idempotency-key must /) } },
  });
  expect((await post({}, { 'IDEMPOTENCY-KEY': id })).status).toBe(200);
});

test('400: rejects a path id that is not a UUID, before the handler runs', async () => {
  const response = await caller(note, echo)({ path: { id: '../admin' }, body: {} });
  expect(response).toMatchObject({ status: 400, body: { error: { message: 'path.id must be a UUID.' } } });
  expect(seen).toEqual([]);
});

test('200: an operation for beacons accepts text/plain and allows credentials from the page’s origin', async () => {
  const handler = publicEndpoint(beacon, async ({ body }) => ({ data: body }));
  const response = await caller(
    beacon,
    handler,
  )({
    path: { id },
    body: '{"said":"hi"}',
    headers: { 'content-type': 'text/plain;charset=UTF-8', origin: 'https://shop.example' },
  });
  expect(response).toMatchObject({
    status: 200,
    body: { data: { said: 'hi' } },
    headers: {
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    },
  });
});

test('a declared error that the handler throws is returned with its headers and its additional body properties', async () => {
  const handler = publicEndpoint(note, async () => {
    throw new HttpError(404, 'There is no such note.', {
      headers: { 'X-Hint': 'look' },
      extension: { body: { data: { id } } },
    });
  });
  expect(await caller(note, handler)({ path: { id }, body: {} })).toMatchObject({
    status: 404,
    headers: { 'x-hint': 'look', 'access-control-allow-origin': '*' },
    body: { error: { code: 'not_found', message: 'There is no such note.' }, data: { id } },
  });
});

test('500: an error that is not an HttpError reveals no details', async () => {
  for (const thrown of [new Error('secret-table-name'), 'text', undefined]) {
    const handler = publicEndpoint(note, async () => {
      throw thrown;
    });
    const response = await caller(note, handler)({ path: { id }, body: {} });
    expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    expect(response.text).not.toContain('secret');
  }
});

describe('a status that the operation does not declare', () => {
  const handler = publicEndpoint(note, async () => {
    throw new HttpError(422, 'x');
  });

  test('becomes a 500 in a deployment', async () => {
    vi.stubEnv('VALIDATE_RESPONSES', 'off');
    expect((await caller(note, handler)({ path: { id }, body: {} })).status).toBe(500);
    vi.unstubAllEnvs();
  });

  test('if VALIDATE_RESPONSES is on, fails the invocation; the error says where to declare the status', async () => {
    await expect(caller(note, handler)({ path: { id }, body: {} })).rejects.toThrow(
      `Add it to \`errors\` in functions/${note.id}/operation.ts.`,
    );
  });
});

test('500: a response that does not match the declaration is not sent', async () => {
  const { authorization, orgId, as } = anOrganization();
  const handler = authorizedBodylessEndpoint(
    list,
    authorization,
    async () => ({ since: 7 }) as unknown as { since: string },
  );
  expect((await caller(list, handler)({ path: { orgId }, headers: as('member') })).status).toBe(500);
});

test('400: rejects a declared query parameter that is repeated or empty; 200: ignores unknown ones, except misspellings', async () => {
  const { authorization, orgId, as } = anOrganization();
  const handler = authorizedBodylessEndpoint(list, authorization, async ({ query }) => ({
    since: query.since ?? null,
  }));
  const get = (query: Record<string, string | string[]>) =>
    caller(list, handler)({ path: { orgId }, query, headers: as('member') });
  expect((await get({ other: ['1', '2'], since: 'today' })).body).toEqual({ since: 'today' });
  expect(await get({ since: ['a', 'b'] })).toMatchObject({
    status: 400,
    body: { error: { message: 'query.since must not be repeated.' } },
  });
  expect((await get({ since: '' })).status).toBe(400);
});

test('400: the message suggests the correct spelling of a misspelled query parameter', async () => {
  const { authorization, orgId, as } = anOrganization();
  const declared = declareOperation('test/filtered', {
    ...list,
    request: { path: OrganizationPath, query: z.object({ utmSource: z.optional(z.string()) }) },
  });
  const handler = authorizedBodylessEndpoint(declared, authorization, async () => ({ since: null }));
  const get = (query: Record<string, string | string[]>) =>
    caller(declared, handler)({ path: { orgId }, query, headers: as('member') });
  for (const name of ['utm_source', 'UTMSOURCE', 'utm-source'])
    expect(await get({ [name]: 'newsletter' })).toMatchObject({
      status: 400,
      body: { error: { message: `query.${name} is not a parameter of this operation. Use utmSource.` } },
    });
  expect((await get({ utmSource: 'newsletter', source: 'x', 'utm source': 'x' })).status).toBe(200);
});

test('400: the message suggests the correct spelling of a misspelled property in an organization route’s body', async () => {
  const { authorization, orgId, as } = anOrganization();
  const declared = declareOperation('test/strict', {
    ...note,
    auth: { role: 'member' },
    request: { path: OrganizationPath, body: strictObject({ successCriteria: z.optional(z.string()) }) },
  });
  const handler = authorizedEndpoint(declared, authorization, async () => ({ data: null }));
  const response = await caller(
    declared,
    handler,
  )({ path: { orgId }, body: { success_criteria: 'x', surprise: 1 }, headers: as('member') });
  expect(response).toMatchObject({
    status: 400,
    body: { error: { message: 'body has unknown properties: success_criteria (use successCriteria), surprise.' } },
  });
});

test('200 and 400: the response warns of a misspelled property in a public route’s body', async () => {
  const response = await post({ Said: 'hi', da_ta: {}, surprise: 1 });
  expect(response).toMatchObject({
    status: 200,
    headers: { 'x-warning': 'body.Said: did you mean said? body.da_ta: did you mean data?' },
  });
  expect(response.headers['access-control-expose-headers']).toContain('x-warning');
  expect(await post({ Said: 'hi', said: 1 })).toMatchObject({
    status: 400,
    headers: { 'x-warning': 'body.Said: did you mean said?' },
  });
  expect((await post({ said: 'hi', surprise: 1 })).headers).not.toHaveProperty('x-warning');
});

test('the header x-warning is short and has only valid characters, whatever the property names are', async () => {
  const hostile = ['sa\r\nSet-Cookie: a', 'ſaid', `${'_'.repeat(200)}said`, '__proto__', 'sa id', 'said\u0000'];
  const bodies = [
    `{${hostile.map((name) => `${JSON.stringify(name)}:1`).join()}}`,
    JSON.stringify(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${'_'.repeat(index + 1)}said`, 1]))),
    JSON.stringify('x'.repeat(1_000_000)),
    JSON.stringify(new Array(100_000).fill(0)),
  ];
  const warnings = [];
  for (const body of bodies) warnings.push((await post(body)).headers['x-warning']);
  const [safe, many, ...others] = warnings;
  expect(safe).toBeUndefined();
  expect(many).toBe(['_said', '__said', '___said'].map((name) => `body.${name}: did you mean said?`).join(' '));
  expect(others).toEqual([undefined, undefined]);
});

test('only pages of the configured origins can read the responses and errors of organization routes', async () => {
  vi.stubEnv('CORS_ORIGINS', 'https://app.example,https://other.example');
  const { authorization, orgId, as } = anOrganization();
  const send = caller(
    list,
    authorizedBodylessEndpoint(list, authorization, async () => ({ since: null })),
  );
  const allowed = async (headers: Record<string, string>) => {
    const response = await send({ path: { orgId }, headers });
    expect(response.headers).toMatchObject({ vary: 'Origin' });
    return response.headers['access-control-allow-origin'];
  };
  expect(await allowed({ ...as('member'), origin: 'https://other.example' })).toBe('https://other.example');
  expect(await allowed({ ...as('member'), origin: 'https://evil.example' })).toBe('https://app.example');
  expect(await allowed({ origin: 'https://other.example' })).toBe('https://other.example');
  expect(await allowed({})).toBe('https://app.example');
});

test('for any body of at most 1 MiB, the status is 200 or 400 and the response is JSON', async () => {
  const alphabet = [
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '\\',
    'u0000',
    '1e999',
    'null',
    'data',
    '__proto__',
    ' ',
    '\ud800',
    'é',
  ];
  let state = 7;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let run = 0; run < 2_000; run++) {
    const body = Array.from({ length: random(30) }, () => alphabet[random(alphabet.length)]).join('');
    const response = await echo({ ...proxyEvent(note, { path: { id } }), body }, {} as Context);
    expect([200, 400]).toContain(response.statusCode);
    expect(() => JSON.parse(response.body)).not.toThrow();
  }
});
