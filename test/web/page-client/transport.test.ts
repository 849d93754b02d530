import type { RequestListener } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isTemporary, post } from '../../../web/page-client/transport.ts';
import { startHttpServer } from '../../support/http-server.ts';

async function respond(listener: RequestListener): Promise<string> {
  const { url, close } = await startHttpServer(listener);
  onTestFinished(close);
  return url;
}

const withStatus = (status: number, body: string, headers = {}) =>
  respond((_request, response) => response.writeHead(status, headers).end(body));

const ERROR = JSON.stringify({ error: { code: 'a_code', message: 'A message.' } });

test.each([
  ['12', 12_000],
  ['0', 0],
  ['nonsense', 0],
])('Retry-After "%s" is %i ms', async (header, expected) => {
  const response = await post(await withStatus(503, ERROR, { 'Retry-After': header }), '{}');
  expect(response).toMatchObject({ status: 503, retryAfterMs: expected });
});

test('Retry-After can be a date', async () => {
  const header = new Date(Date.now() + 60_000).toUTCString();
  const response = await post(await withStatus(429, ERROR, { 'Retry-After': header }), '{}');
  expect(response?.retryAfterMs).toBeGreaterThan(50_000);
  expect(response?.retryAfterMs).toBeLessThanOrEqual(60_000);
});

test.each([429, 500, 503])('an error with status %i is temporary', async (status) => {
  expect(isTemporary(await post(await withStatus(status, ERROR), '{}'))).toBe(true);
});

test.each([400, 403, 404, 413, 422])('an error with status %i is final', async (status) => {
  expect(isTemporary(await post(await withStatus(status, ERROR), '{}'))).toBe(false);
});

test.each([200, 302, 403, 407])('an HTML page of a proxy with status %i is a temporary error', async (status) => {
  expect(isTemporary(await post(await withStatus(status, '<html>Log in</html>'), '{}'))).toBe(true);
});

test('a refused connection is a temporary error', async () => {
  expect(isTemporary(await post('http://127.0.0.1:9/', '{}'))).toBe(true);
});

test('a request without a response ends after 15 seconds', async () => {
  const { timeout } = AbortSignal;
  // Shortens timeouts to a hundredth, so that the test ends soon.
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 100));
  onTestFinished(() => spy.mockRestore());
  expect(await post(await respond(() => undefined), '{}')).toBeUndefined();
  expect(spy.mock.calls).toEqual([[15_000]]);
});
