import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createHandler } from '../../../../functions/webhooks/test-endpoint/handler.ts';
import { testEndpointOperation } from '../../../../functions/webhooks/test-endpoint/operation.ts';
import { createMessageSender } from '../../../../shared/webhooks/send-message.ts';
import { deriveSigningSecret } from '../../../../shared/webhooks/signing-secret.ts';
import type { EndpointTest } from '../../../../shared/webhooks/test-endpoint.ts';
import type { WebhookEndpoint } from '../../../../shared/webhooks/webhook-endpoint.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { caller } from '../../../support/http.ts';
import { startHttpServer } from '../../../support/http-server.ts';
import { endpointWorld, isoAt, MASTER_SECRET, NOON } from '../../../support/webhooks/endpoints.ts';

useDynamo();

type Received = { headers: Record<string, string>; body: string };

let received: Received[] = [];
let respond: (response: ServerResponse) => void;
let server: Awaited<ReturnType<typeof startHttpServer>>;

beforeAll(async () => {
  server = await startHttpServer(async (request, response) => {
    received.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    respond(response);
  });
});
afterAll(() => server.close());
beforeEach(() => {
  received = [];
  respond = (response) => response.writeHead(204).end();
});

async function setUp(overrides: Partial<WebhookEndpoint> = {}, allowedOrigins = [server.url]) {
  const world = await endpointWorld({ url: `${server.url}/hook`, ...overrides });
  const send = createMessageSender({ ownHostnames: [], allowedOrigins, timeoutMs: 300 });
  const call = caller(testEndpointOperation, createHandler({ ...world.ports, send }));
  const sendTest = (endpointId = world.endpoint.id, headers: Record<string, string> = world.as('admin')) =>
    call({ path: { orgId: world.orgId, endpointId }, headers });
  return { ...world, sendTest };
}

const secretOf = ({ id }: WebhookEndpoint, generation: string) => deriveSigningSecret(MASTER_SECRET, id, generation);

const ROTATED = { secretGeneration: 'new', previousSecretGeneration: 'previous' };

/** Verifies a message as a receiver does five seconds after `NOON`. @throws WebhookVerificationError */
function verify({ headers, body }: Received, secret: string): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON + 5_000 });
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    vi.useRealTimers();
  }
}

const onlyMessage = (): Received => {
  const [message, ...others] = received;
  if (message === undefined || others.length > 0) throw new Error(`${received.length} messages were received.`);
  return message;
};

test.each([true, false])('200: if isEnabled is %s, sends one message that a receiver can verify', async (isEnabled) => {
  const { sendTest, endpoint, orgId } = await setUp({ isEnabled });
  const { status, body } = await sendTest();
  const message = onlyMessage();
  expect([status, body]).toEqual([
    200,
    {
      delivered: true,
      messageId: message.headers['webhook-id'],
      status: 204,
      durationMs: expect.any(Number),
      problem: null,
    },
  ]);
  expect(verify(message, secretOf(endpoint, endpoint.secretGeneration))).toEqual({
    type: 'endpoint.test',
    timestamp: isoAt(NOON),
    data: { endpointId: endpoint.id, orgId },
  });
  expect(() => verify(message, secretOf(endpoint, 'other'))).toThrow('No matching signature found');
});

test('200: within a day of a rotation, receivers with the new and with the previous secret accept the message', async () => {
  const { sendTest, endpoint } = await setUp({ ...ROTATED, secretRotatedAt: isoAt(NOON - 23 * 3_600_000) });
  expect((await sendTest()).status).toBe(200);
  for (const generation of ['new', 'previous'])
    expect(verify(onlyMessage(), secretOf(endpoint, generation))).toBeDefined();
  expect(() => verify(onlyMessage(), secretOf(endpoint, 'oldest'))).toThrow('No matching signature found');
});

test('200: a day after a rotation, only receivers with the new secret accept the message', async () => {
  const { sendTest, endpoint } = await setUp({ ...ROTATED, secretRotatedAt: isoAt(NOON - 24 * 3_600_000) });
  expect((await sendTest()).status).toBe(200);
  expect(verify(onlyMessage(), secretOf(endpoint, 'new'))).toBeDefined();
  expect(() => verify(onlyMessage(), secretOf(endpoint, 'previous'))).toThrow('No matching signature found');
});

test.each<[string, (response: ServerResponse) => void, Partial<EndpointTest>, RegExp]>([
  ['401', (response) => response.writeHead(401).end(), { status: 401 }, /status 401\. Check that it uses the signing/],
  ['403', (response) => response.writeHead(403).end(), { status: 403 }, /status 403\. Check that it uses the signing/],
  ['500', (response) => response.writeHead(500).end(), { status: 500 }, /responded with status 500/],
  ['410', (response) => response.writeHead(410).end(), { status: 410 }, /responded with status 410/],
  ['302', (to) => to.writeHead(302, { location: `${server.url}/secret` }).end(), { status: 302 }, /redirects/],
  ['no response in time', () => undefined, { status: null }, /did not respond within 10 seconds/],
  ['a closed connection', (response) => response.destroy(), { status: null }, /connection was closed/],
])(
  '200: reports that the message was not delivered (%s), and does not send it again',
  async (_, receiver, expected, problem) => {
    respond = receiver;
    const { sendTest } = await setUp();
    expect(await sendTest()).toMatchObject({
      status: 200,
      body: { delivered: false, problem: expect.stringMatching(problem), ...expected },
    });
    expect(received).toHaveLength(1);
  },
);

test('200: if the stored URL is no longer allowed, sends nothing and returns the reason', async () => {
  const { sendTest } = await setUp({}, []);
  expect(await sendTest()).toMatchObject({
    status: 200,
    body: { delivered: false, status: null, problem: expect.stringMatching(/https/) },
  });
  expect(received).toEqual([]);
});

test.each(['member', 'stranger'] as const)('403: a %s cannot send a test message', async (who) => {
  const { sendTest, as, endpoint } = await setUp();
  expect((await sendTest(endpoint.id, as(who))).status).toBe(403);
  expect(received).toEqual([]);
});

test('404: an unknown endpoint and an endpoint of another organization get the same response', async () => {
  const { sendTest, foreign } = await setUp();
  const response = await sendTest(foreign.id);
  expect(response).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect((await sendTest(randomUUID())).body).toEqual(response.body);
  expect(received).toEqual([]);
});
