import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openStateFolder, type StateFolder } from '../../../../infra/local/runtime/state-folder.ts';
import type { Delivery } from '../../../../infra/local/webhook-receiver/deliveries.ts';
import type { NextResponse } from '../../../../infra/local/webhook-receiver/next-response.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../../infra/local/webhook-receiver/server.ts';

type State = { deliveries: Delivery[]; nextResponse: NextResponse; secrets: string[] };

let folder: StateFolder;
let receiver: WebhookReceiver;
let origin: string;
beforeEach(async () => {
  folder = await openStateFolder(mkdtempSync(join(tmpdir(), 'tributary-receiver-')), { reset: false });
  await start();
});
afterEach(async () => {
  await receiver.close();
  folder.release();
  rmSync(folder.path(), { recursive: true });
});

async function start(): Promise<void> {
  receiver = await startWebhookReceiver(0, folder);
  origin = `http://127.0.0.1:${receiver.port}`;
}

const BODY = '{"type":"endpoint.test","timestamp":"2026-11-23T18:00:00.000Z","data":{}}';
const aSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

function signed(secrets: readonly string[], { id = randomUUID() as string, body = BODY, sentAt = new Date() } = {}) {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body));
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

const post = (headers: Record<string, string> = {}, body = BODY, path = '/hook') =>
  fetch(`${origin}${path}`, { method: 'POST', headers, body });

const put = (path: string, body: unknown) =>
  fetch(`${origin}${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const state = async () => (await (await fetch(`${origin}/deliveries`)).json()) as State;
const newest = async () => (await state()).deliveries[0];

const setSecrets = async (...secrets: string[]) => expect((await put('/secrets', { secrets })).status).toBe(204);
const setResponse = async (next: NextResponse) => expect((await put('/next-response', next)).status).toBe(204);

test('204: the receiver stores requests to /hook and to paths below /hook, and lists the newest first', async () => {
  expect((await post({ 'x-custom': 'a' }, 'not JSON', '/hook')).status).toBe(204);
  const headers = signed([aSecret()], { id: 'msg_2' });
  expect((await post(headers, BODY, '/hook/crm/leads?team=north')).status).toBe(204);
  const { deliveries } = await state();
  expect(deliveries).toEqual([
    {
      number: 2,
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      path: '/hook/crm/leads',
      id: 'msg_2',
      type: 'endpoint.test',
      attempt: 1,
      signature: 'not-verified',
      verifications: [],
      response: 204,
      headers: expect.objectContaining(headers),
      body: BODY,
    },
    expect.objectContaining({ number: 1, path: '/hook', body: 'not JSON', signature: 'not-verified' }),
  ]);
  expect(deliveries[1]).not.toHaveProperty('type');
  expect(deliveries[1]).not.toHaveProperty('id');
  expect(deliveries[1]?.headers['x-custom']).toBe('a');
});

test('requests with the same id are counted as attempts', async () => {
  for (const id of ['msg_a', 'msg_b', 'msg_a', 'msg_a']) await post(signed([], { id }));
  expect((await state()).deliveries.map(({ id, attempt }) => [id, attempt])).toEqual([
    ['msg_a', 3],
    ['msg_a', 2],
    ['msg_b', 1],
    ['msg_a', 1],
  ]);
});

test('the latest 200 requests are kept', async () => {
  for (let sent = 0; sent < 203; sent++) await post({}, String(sent));
  const { deliveries } = await state();
  expect(deliveries).toHaveLength(200);
  expect([deliveries[0]?.body, deliveries.at(-1)?.body]).toEqual(['202', '3']);
});

test('a signature is valid if one of the set secrets verifies it; the receiver lists the result of each secret', async () => {
  const [first, second] = [aSecret(), aSecret()];
  await setSecrets(first, second);
  await post(signed([second]));
  const delivery = await newest();
  expect(delivery?.signature).toBe('valid');
  expect(delivery?.verifications).toEqual([
    { secret: `whsec_…${first.slice(-5, -1)}`, isValid: false, reason: 'No matching signature found' },
    { secret: `whsec_…${second.slice(-5, -1)}`, isValid: true },
  ]);
});

test('if a message is signed with the old and the new secret, each of the two secrets verifies it', async () => {
  const [old, rotated] = [aSecret(), aSecret()];
  for (const secret of [old, rotated]) {
    await setSecrets(secret);
    await post(signed([rotated, old]));
    expect((await newest())?.signature).toBe('valid');
  }
});

test('a signature is verified over the received bytes, even if the bytes are not ASCII or not JSON', async () => {
  const secret = aSecret();
  await setSecrets(secret);
  for (const body of ['{ "name" : "Jörg 🌞" }\n', 'plain', '']) {
    await post(signed([secret], { body }), body);
    expect([(await newest())?.body, (await newest())?.signature]).toEqual([body, 'valid']);
  }
});

test.each([
  ['a signature by another secret', () => signed([aSecret()]), 'No matching signature found'],
  ['no headers', () => ({}), 'Missing required headers'],
  [
    'a time of six minutes ago',
    (secret: string) => signed([secret], { sentAt: new Date(Date.now() - 360_000) }),
    'Message timestamp too old',
  ],
  [
    'a time in six minutes',
    (secret: string) => signed([secret], { sentAt: new Date(Date.now() + 360_000) }),
    'Message timestamp too new',
  ],
  [
    'the signature of another body',
    (secret: string) => signed([secret], { body: BODY.replace('test', 'tost') }),
    'No matching signature found',
  ],
  [
    'the signature of another id',
    (secret: string) => ({ ...signed([secret]), 'webhook-id': 'msg_other' }),
    'No matching signature found',
  ],
])('if a secret is set, a request with %s is listed as invalid', async (_, headersFor, reason) => {
  const secret = aSecret();
  await setSecrets(secret);
  await post(headersFor(secret));
  expect(await newest()).toMatchObject({ signature: 'invalid', verifications: [{ isValid: false, reason }] });
});

test('the receiver returns only four characters of a secret; newly set secrets replace the earlier ones', async () => {
  const [first, second] = [aSecret(), aSecret()];
  await setSecrets(first, second);
  await post(signed([first]));
  const text = await (await fetch(`${origin}/deliveries`)).text();
  for (const secret of [first, second]) expect(text).not.toContain(secret.slice(6, -5));
  await setSecrets(second);
  expect((await state()).secrets).toEqual([`whsec_…${second.slice(-5, -1)}`]);
  await post(signed([first]));
  expect((await newest())?.signature).toBe('invalid');
  await setSecrets();
  expect((await state()).secrets).toEqual([]);
});

test('a restart keeps only the secrets, and only the owner can read the file that contains them', async () => {
  const secret = aSecret();
  await setSecrets(secret);
  await setResponse({ response: 500 });
  await post(signed([secret]));
  await receiver.close();
  expect(statSync(folder.path('webhook-receiver.json')).mode & 0o777).toBe(0o600);
  expect(JSON.parse(folder.read('webhook-receiver.json') ?? '')).toEqual({ secrets: [secret] });
  await start();
  expect(await state()).toEqual({
    deliveries: [],
    nextResponse: { response: 204 },
    secrets: [`whsec_…${secret.slice(-5, -1)}`],
  });
  await post(signed([secret]));
  expect((await newest())?.signature).toBe('valid');
});

test('400: an invalid secret is rejected with its position, and the earlier secrets remain', async () => {
  await setSecrets(aSecret());
  const before = await state();
  for (const wrong of ['whsec_', 'whsec_ä', 'whsec_a b', randomBytes(32).toString('base64'), '']) {
    const response = await put('/secrets', { secrets: [aSecret(), wrong] });
    expect([wrong, response.status]).toEqual([wrong, 400]);
    const text = await response.text();
    expect(text).toMatch(/^Secret 2 is not a signing secret\. .*whsec_/);
    if (wrong.length > 10) expect(text).not.toContain(wrong);
  }
  for (const body of [{}, { secrets: 'whsec_' }, { secrets: Array(21).fill(aSecret()) }, 'x', null]) {
    expect((await put('/secrets', body)).status).toBe(400);
  }
  expect(await state()).toEqual(before);
});

test.each([200, 410, 429, 500] as const)('%i: the receiver responds with the status that was set', async (response) => {
  await setResponse({ response });
  for (let sent = 0; sent < 3; sent++) {
    const received = await post();
    expect(received.status).toBe(response);
    expect(received.headers.has('retry-after')).toBe(false);
  }
  expect((await newest())?.response).toBe(response);
  expect((await state()).nextResponse).toEqual({ response });
});

test('429: the response has the header Retry-After that was set; responses with other statuses have no Retry-After', async () => {
  await setResponse({ response: 429, retryAfterSeconds: 120 });
  expect((await post()).headers.get('retry-after')).toBe('120');
  await setResponse({ response: 500, retryAfterSeconds: 120 });
  expect((await post()).headers.has('retry-after')).toBe(false);
});

test('if a response is set for two requests, the next two requests get this response; later requests get 204', async () => {
  await setResponse({ response: 500, requests: 2 });
  expect((await post()).status).toBe(500);
  expect((await state()).nextResponse).toEqual({ response: 500, requests: 1 });
  expect([(await post()).status, (await post()).status, (await post()).status]).toEqual([500, 204, 204]);
  expect((await state()).nextResponse).toEqual({ response: 204 });
});

test('a rejected request does not use up a response that is set for one request', async () => {
  await setResponse({ response: 500, requests: 1 });
  expect((await fetch(`${origin}/hook`)).status).toBe(405);
  expect((await post({}, 'x'.repeat(512 * 1024 + 1))).status).toBe(413);
  expect((await post({}, 'x', '/hooks')).status).toBe(405);
  expect((await state()).deliveries).toEqual([]);
  expect((await post()).status).toBe(500);
});

test('close: the receiver stores the request, and closes the connection without a response', async () => {
  await setResponse({ response: 'close', requests: 1 });
  await expect(post()).rejects.toThrow('fetch failed');
  expect(await newest()).toMatchObject({ response: 'close', body: BODY });
  expect((await post()).status).toBe(204);
});

test('hang: the receiver stores the request and never responds; closing the receiver does not wait for the request', async () => {
  await setResponse({ response: 'hang' });
  const timeout = AbortSignal.timeout(1_000);
  const sent = fetch(`${origin}/hook`, { method: 'POST', body: BODY, signal: timeout });
  await vi.waitFor(async () => expect(await newest()).toMatchObject({ response: 'hang', body: BODY }));
  await expect(sent).rejects.toMatchObject({ name: 'TimeoutError' });
  const unfinished = connect(receiver.port, '127.0.0.1').on('error', () => undefined);
  unfinished.write('POST /hook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx');
  await vi.waitFor(async () => expect((await state()).deliveries).toHaveLength(2));
  const start = performance.now();
  await receiver.close();
  expect(performance.now() - start).toBeLessThan(1_000);
});

test('400: an invalid response, count or Retry-After is rejected, and the earlier setting remains', async () => {
  await setResponse({ response: 500, requests: 5 });
  for (const wrong of [
    { response: 201 },
    { response: '500' },
    {},
    { response: 500, requests: 0 },
    { response: 500, requests: 1.5 },
    { response: 429, retryAfterSeconds: -1 },
    { response: 429, retryAfterSeconds: 86_401 },
    null,
  ]) {
    const response = await put('/next-response', wrong);
    expect([wrong, response.status]).toEqual([wrong, 400]);
  }
  expect((await state()).nextResponse).toEqual({ response: 500, requests: 5 });
});

test('a web page of another origin cannot change settings or read deliveries', async () => {
  const before = await state();
  const foreign = { origin: 'https://evil.example' };
  for (const [path, setting] of Object.entries({
    '/secrets': { secrets: [aSecret()] },
    '/next-response': { response: 503, requests: 2 },
  })) {
    const body = JSON.stringify(setting);
    // The receiver itself must reject these content types, because a page can send them without a preflight.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { ...foreign, 'content-type': type };
      expect((await fetch(`${origin}${path}`, { method: 'PUT', headers, body })).status).toBe(415);
      expect((await fetch(`${origin}${path}`, { method: 'POST', headers, body })).status).toBe(405);
    }
    const preflight = await fetch(`${origin}${path}`, {
      method: 'OPTIONS',
      headers: { ...foreign, 'access-control-request-method': 'PUT' },
    });
    expect(preflight.headers.has('access-control-allow-origin')).toBe(false);
  }
  const read = await fetch(`${origin}/deliveries`, { headers: foreign });
  expect(read.headers.has('access-control-allow-origin')).toBe(false);
  expect(await state()).toEqual(before);
});

test('304: a request with the ETag of the current state gets no body', async () => {
  const first = await fetch(`${origin}/deliveries`);
  expect(first.headers.get('cache-control')).toBe('no-store');
  const again = () => fetch(`${origin}/deliveries`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
  expect((await again()).status).toBe(304);
  await post();
  expect((await again()).status).toBe(200);
});

test('405: the header Allow names the method that the path accepts', async () => {
  const allowed = async (method: string, path: string) => {
    const { status, headers } = await fetch(`${origin}${path}`, { method });
    return [status, headers.get('allow')];
  };
  expect(await allowed('GET', '/hook')).toEqual([405, 'POST']);
  expect(await allowed('PUT', '/hook/crm')).toEqual([405, 'POST']);
  expect(await allowed('DELETE', '/deliveries')).toEqual([405, 'GET']);
});

test('404: unknown paths and paths of files outside the page are not served', async () => {
  for (const path of ['/hooks', '/server.ts', '/..%2fserver.ts', '/constructor', '//']) {
    expect([path, (await fetch(`${origin}${path}`)).status]).toEqual([path, 404]);
  }
  expect((await put('/deliveries', {})).status).toBe(404);
});
