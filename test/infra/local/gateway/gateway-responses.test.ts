import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { createGateway } from '../../../../infra/local/gateway/gateway.ts';
import { createWindowRateLimiter } from '../../../../infra/local/gateway/rate-limiter.ts';
import { GATEWAY_RESPONSES } from '../../../../infra/stacks/api/gateway-responses.ts';
import { REQUEST_ID } from '../../../support/http.ts';
import { anOperation, sendRaw, useGateway } from '../../../support/local/gateway.ts';

let calls = 0;
const count = async () => {
  calls++;
  return { statusCode: 200, body: '{}' };
};
const limits = { timeoutSeconds: 10, memoryMb: 512 };
const replies = {
  throws: () => Promise.reject(new Error('broken')),
  'throws-at-once': () => {
    throw new Error('broken');
  },
  nothing: async () => undefined,
  'no-status': async () => ({ body: '' }),
  'object-body': async () => ({ statusCode: 200, body: {} }),
  'bad-status': async () => ({ statusCode: 99, body: '' }),
  'bad-header': async () => ({ statusCode: 200, headers: { 'x-bad': 'a\nb' }, body: '' }),
  'too-large': async () => ({ statusCode: 200, body: 'x'.repeat(6 * 1024 * 1024 + 1) }),
};

const origin = useGateway([
  { declared: anOperation('test/count', 'POST /api/v2/things/{id}/count'), handler: count },
  { declared: anOperation('test/read', 'GET /api/v2/things/{id}/count', { body: 'none' }), handler: count },
  {
    declared: anOperation('test/member', 'POST /api/v2/organizations/{orgId}/things', { auth: { role: 'member' } }),
    handler: count,
  },
  {
    declared: anOperation('test/limited', 'POST /api/v2/limited/{id}', {
      limits: { ...limits, wafPerMinutePerIp: 3, wafPerFunnel: true },
    }),
    handler: count,
  },
  {
    declared: anOperation('test/two-paths', 'POST /api/v2/one/{id}', {
      alternativePath: '/api/v2/other/{id}',
      limits: { ...limits, wafPerMinutePerIp: 3 },
    }),
    handler: async ({ pathParameters }: APIGatewayProxyEvent) => ({
      statusCode: 200,
      body: JSON.stringify(pathParameters),
    }),
  },
  {
    declared: anOperation('test/slow', 'POST /api/v2/slow', { limits: { ...limits, timeoutSeconds: 0.2 } }),
    handler: () => new Promise(() => undefined),
  },
  {
    declared: anOperation('test/unauthorized', 'GET /api/v2/unauthorized', { body: 'none' }),
    handler: async () => ({ statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: '{}' }),
  },
  {
    declared: anOperation('test/kept', 'GET /api/v2/kept', { body: 'none' }),
    handler: async () => ({ statusCode: 304, headers: { ETag: 'W/"a"' }, body: '' }),
  },
  ...Object.entries(replies).map(([name, handler]) => ({
    declared: anOperation(`test/${name}`, `POST /api/v2/${name}`),
    handler,
  })),
]);

/** Sends a request and expects a complete ApiError of the gateway. */
async function expectResponse(
  path: string,
  init: RequestInit,
  expected: (typeof GATEWAY_RESPONSES)[keyof typeof GATEWAY_RESPONSES],
) {
  const response = await fetch(`${origin()}${path}`, init);
  expect({ path, status: response.status }).toEqual({ path, status: expected.status });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('x-request-id'),
    'cache-control': 'no-store',
    'content-type': 'application/json',
    'strict-transport-security': expect.stringMatching(/^max-age=\d{8}$/),
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(REQUEST_ID),
  });
  if (init.method !== 'HEAD') {
    expect(await response.json()).toEqual({ error: { code: expected.code, message: expected.message } });
  }
  return response;
}

test('404: a path that is unknown, has an empty parameter or has an additional slash is rejected', async () => {
  for (const path of ['/', '/api/v2/unknown', '/api/v2/things//count', '/api/v2/things/1/count/', '/api/v2/things/1']) {
    await expectResponse(path, { method: 'POST' }, GATEWAY_RESPONSES.pathNotFound);
  }
});

test('404: an unknown path or a part of a known path is rejected for any method, even with a token', async () => {
  const paths = ['/', '/api', '/api/v2', '/api/v2/organizations/1', '/api/v2/things', '/api/v2/things/1/count/more'];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
      const headers = { authorization: 'Bearer a.b.c', origin: 'https://app.example' };
      await expectResponse(path, { method, headers }, GATEWAY_RESPONSES.pathNotFound);
    }
  }
});

test('401: the gateway renames the header WWW-Authenticate, as REST APIs of API Gateway do', async () => {
  const { status, headers } = await fetch(`${origin()}/api/v2/unauthorized`);
  expect({ status, name: headers.get('www-authenticate') }).toEqual({ status: 401, name: null });
  expect(headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
});

test('405: a wrong method gets an Allow header and invokes no function', async () => {
  calls = 0;
  for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD']) {
    const response = await expectResponse('/api/v2/things/1/count', { method }, GATEWAY_RESPONSES.methodNotAllowed);
    expect(response.headers.get('allow')).toBe('POST,GET,OPTIONS');
  }
  expect(calls).toBe(0);
});

test('400: a path with a malformed escape sequence is rejected', async () => {
  await expectResponse('/api/v2/things/%E0%A4%A/count', { method: 'POST' }, GATEWAY_RESPONSES.badRequest);
});

test('413: a body over 10 MB, with or without Content-Length, invokes no function', async () => {
  calls = 0;
  const body = Buffer.alloc(10 * 1024 * 1024 + 1, 'x');
  await expectResponse('/api/v2/things/1/count', { method: 'POST', body }, GATEWAY_RESPONSES.payloadTooLarge);
  const stream = new Blob([body]).stream();
  const unannounced = { method: 'POST', body: stream, duplex: 'half' } as RequestInit;
  await expectResponse('/api/v2/things/1/count', unannounced, GATEWAY_RESPONSES.payloadTooLarge);
  expect(calls).toBe(0);
});

test('413: if a body is under 6 MB but the event that contains it is over 6 MB, no function is invoked', async () => {
  calls = 0;
  const body = Buffer.alloc(4.6 * 1024 * 1024);
  const init = { method: 'POST', body, headers: { 'content-type': 'multipart/form-data; boundary=x' } };
  await expectResponse('/api/v2/things/1/count', init, GATEWAY_RESPONSES.payloadTooLarge);
  expect(calls).toBe(0);
});

/** Stops the clock. All requests of a test are then in one calendar minute, the window of the rate limiter. */
const stopTime = () => vi.useFakeTimers({ toFake: ['Date'] });
afterEach(() => void vi.useRealTimers());

test('429: both paths of an operation invoke the same function, and share one rate limit', async () => {
  stopTime();
  const call = (path: string) => fetch(`${origin()}/api/v2/${path}`, { method: 'POST' });
  for (const path of ['one/a', 'other/a', 'one/b']) {
    const response = await call(path);
    expect([response.status, await response.json()]).toEqual([200, { id: path.slice(-1) }]);
  }
  for (const path of ['one/a', 'other/a']) expect((await call(path)).status).toBe(429);
  const preflight = await fetch(`${origin()}/api/v2/other/a`, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-methods')).toBe('POST,OPTIONS');
});

test('429: each funnel has its own limit; a body over 1 MiB never gets a 429', async () => {
  stopTime();
  const call = (id: string, body = '{}') => fetch(`${origin()}/api/v2/limited/${id}`, { method: 'POST', body });
  for (let index = 0; index < 3; index++) expect((await call('a')).status).toBe(200);
  const refused = await expectResponse('/api/v2/limited/a', { method: 'POST' }, GATEWAY_RESPONSES.rateLimited);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('ratelimit-limit')).toBe('3');
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect(Number(refused.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60);
  expect((await call('A')).status).toBe(429);
  expect((await call('b')).status).toBe(200);
  expect((await call('a', 'x'.repeat(1_048_577))).status).toBe(200);
});

test('502: a request fails if its function fails, times out or returns an invalid response', async () => {
  for (const name of [...Object.keys(replies), 'slow']) {
    await expectResponse(`/api/v2/${name}`, { method: 'POST' }, GATEWAY_RESPONSES.integrationFailed);
  }
});

test('304: the response has headers, but no body and no Content-Length', async () => {
  const response = await sendRaw(origin(), 'GET /api/v2/kept HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(response).toMatch(/^HTTP\/1\.1 304 Not Modified\r\nETag: W\/"a"\r\n/);
  expect(response).not.toMatch(/content-length|transfer-encoding/i);
  expect(response.endsWith('\r\n\r\n')).toBe(true);
});

test('503: a request before the runtime has started is rejected', async () => {
  const gateway = createGateway(
    () => undefined,
    () => undefined,
  );
  const port = await gateway.listen(0);
  const response = await fetch(`http://127.0.0.1:${port}/api/v2/openapi.json`);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.json()).toMatchObject({ error: { code: 'service_unavailable' } });
  await gateway.close(0);
});

test('204: a preflight allows any origin on public routes, but only the configured origin on organization routes', async () => {
  const preflight = async (path: string, from: string) => {
    const response = await fetch(`${origin()}${path}`, { method: 'OPTIONS', headers: { origin: from } });
    expect(response.status).toBe(204);
    return Object.fromEntries(response.headers);
  };
  expect(await preflight('/api/v2/things/1/count', 'https://any.example')).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST,GET,OPTIONS',
    'access-control-allow-headers': 'Content-Type,Authorization,Idempotency-Key,User-Agent',
    'access-control-max-age': '3600',
    'x-content-type-options': 'nosniff',
  });
  const member = '/api/v2/organizations/1/things';
  for (const from of ['https://app.example', 'https://stranger.example']) {
    expect((await preflight(member, from))['access-control-allow-origin']).toBe('https://app.example');
  }
});

test('200: the OpenAPI document is served after the start', async () => {
  const response = await fetch(`${origin()}/api/v2/openapi.json`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ openapi: '3.1.0' });
});

test('400: malformed HTTP gets an ApiError and does not affect other requests', async () => {
  const malformed = [
    'nonsense\r\n\r\n',
    'GET /api/v2/things HTTP/1.1\r\nbad header\r\n\r\n',
    'POST /api/v2/things/1/count HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n',
    'POST /api/v2/things/1/count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    Buffer.from([0x16, 0x03, 0x01, 0x00, 0xff]),
  ];
  for (const bytes of malformed) {
    const response = await sendRaw(origin(), bytes);
    expect(response).toMatch(/^HTTP\/1.1 400 /);
    expect(response).toContain('Access-Control-Allow-Origin: *');
    expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toMatchObject({ error: { code: 'bad_request' } });
  }
  expect((await fetch(`${origin()}/api/v2/things/1/count`, { method: 'POST' })).status).toBe(200);
});

test('431: a request is rejected if its request line and headers together exceed 10,240 bytes', async () => {
  const sized = (bytes: number) =>
    sendRaw(origin(), `GET /api/v2/things/1/count HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(bytes)}\r\n\r\n`);
  expect(await sized(10_100)).toMatch(/^HTTP\/1.1 200 /);
  for (const bytes of [10_240, 20_000]) {
    const response = await sized(bytes);
    expect(response).toMatch(/^HTTP\/1.1 431 Request Header Fields Too Large\r\n/);
    expect(response).toContain('Access-Control-Allow-Origin: *');
    expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toEqual({
      error: { code: 'bad_request', message: GATEWAY_RESPONSES.headersTooLarge.message },
    });
  }
  const query = 'x'.repeat(10_240);
  expect(await sendRaw(origin(), `GET /api/v2/things/1/count?q=${query} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 431 /,
  );
});

test.each(['|', '{', '}'])('400: an unencoded %s in the query invokes no function', async (character) => {
  calls = 0;
  const requested = (query: string) =>
    sendRaw(origin(), `GET /api/v2/things/1/count?q=${query} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const response = await requested(`a${character}b`);
  expect(response).toMatch(/^HTTP\/1.1 400 /);
  expect(response).toContain(GATEWAY_RESPONSES.queryNotEncoded.message);
  expect(calls).toBe(0);
  expect(await requested(encodeURIComponent(`a${character}b`))).toMatch(/^HTTP\/1.1 200 /);
});

test('421: a request for another host invokes no function (DNS rebinding)', async () => {
  calls = 0;
  const { port } = new URL(origin());
  const requested = (host: string) =>
    sendRaw(origin(), `POST /api/v2/things/1/count HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`);
  for (const host of ['rebound.example', `rebound.example:${port}`, `localhost.example:${port}`, '']) {
    const response = await requested(host);
    expect(response).toMatch(/^HTTP\/1.1 421 /);
    expect(response).toContain('"code":"bad_request"');
  }
  expect(calls).toBe(0);
  for (const host of [
    `127.0.0.1:${port}`,
    `localhost:${port}`,
    `LOCALHOST:${port}`,
    `[::1]:${port}`,
    'localhost',
    'localhost:5173',
  ]) {
    expect(await requested(host)).toMatch(/^HTTP\/1.1 200 /);
  }
});

test('a URL in absolute form, OPTIONS *, a missing Host header and an unknown Expect header do not cause a 400', async () => {
  expect(await sendRaw(origin(), 'GET http://elsewhere/ HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1.1 404 /);
  expect(await sendRaw(origin(), 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1.1 404 /);
  expect(await sendRaw(origin(), 'GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 404 /);
  const expecting =
    'POST /api/v2/things/1/count HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}';
  expect(await sendRaw(origin(), expecting)).toMatch(/^HTTP\/1.1 200 /);
});

test('a client that disconnects while it sends its body invokes no function', async () => {
  calls = 0;
  await sendRaw(origin(), 'POST /api/v2/things/1/count HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf', 100);
  expect((await fetch(`${origin()}/api/v2/things/1/count`, { method: 'POST' })).status).toBe(200);
  expect(calls).toBe(1);
});

test('the windows of the rate limiter are calendar minutes', () => {
  let now = 59_000;
  const rates = createWindowRateLimiter(() => now);
  expect(rates.count('k', 1)).toBeUndefined();
  expect(rates.count('k', 1)).toMatchObject({ 'Retry-After': '1' });
  now = 60_000;
  expect(rates.count('k', 1)).toBeUndefined();
  expect(rates.count('k', 1)).toMatchObject({ 'Retry-After': '60' });
});
