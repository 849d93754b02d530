import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDynamoEndpointStateRepository } from '../../../../shared/deliveries/aws/dynamo-endpoint-state-repository.ts';
import { createDynamoLaneRepository } from '../../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import { createDynamoEndpointReader } from '../../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { currentSecret } from '../../../../shared/webhooks/endpoint-secrets.ts';
import { ENDPOINTS_MAX, type WebhookEndpoint } from '../../../../shared/webhooks/webhook-endpoint.ts';
import { admin } from '../../../support/cli/admin.ts';
import { anOrganization } from '../../../support/cli/training.ts';
import { storedDelivery } from '../../../support/deliveries/stored-deliveries.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { startHttpServer } from '../../../support/http-server.ts';
import { MASTER_SECRET, storedEndpoint } from '../../../support/webhooks/endpoints.ts';

useDynamo();

let secrets: Awaited<ReturnType<typeof startHttpServer>>;
let receiver: Awaited<ReturnType<typeof startHttpServer>>;
let received: { body: string; headers: Record<string, string> }[] = [];
let status = 204;

beforeAll(async () => {
  secrets = await startHttpServer((_, response) => response.end(JSON.stringify({ SecretString: MASTER_SECRET })));
  receiver = await startHttpServer(async (request, response) => {
    received.push({ body: await text(request), headers: request.headers as Record<string, string> });
    response.writeHead(status).end();
  });
  Object.assign(process.env, {
    PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: new URL(secrets.url).port,
    WEBHOOK_SECRET_ID: 'tributary/webhooks',
    WEBHOOK_ALLOWED_ORIGINS: receiver.url,
  });
});
afterAll(() => {
  secrets.close();
  receiver.close();
});
afterEach(() => {
  received = [];
  status = 204;
  vi.unstubAllEnvs();
});

const webhooks = (...args: string[]) => admin(['webhooks', ...args]);
const json = async (...args: string[]) => {
  const { out, err } = await webhooks(...args, '--json');
  if (out === '') throw new Error(err);
  return JSON.parse(out);
};
const URL_OF_SHOP = 'https://hooks.shop.example/tributary';
const stored = (orgId: string) => createDynamoEndpointReader().list(orgId);
const secretOf = (endpoint: WebhookEndpoint | undefined, masterSecret = MASTER_SECRET) =>
  endpoint && currentSecret(masterSecret, endpoint);

test('an endpoint is added, listed, updated and removed', async () => {
  const orgId = await anOrganization();
  const added = await json('add', orgId, URL_OF_SHOP, '--event', 'lead.created', '--description', 'CRM');
  expect(added).toMatchObject({ url: URL_OF_SHOP, eventTypes: ['lead.created'], description: 'CRM', enabled: true });
  expect(added.secret).toBe(secretOf((await stored(orgId))[0]));
  const { secret: _secret, ...endpoint } = added;
  expect(await json('list', orgId)).toEqual({ endpoints: [endpoint] });

  const changes = ['--disable', '--description', '', '--event', 'lead.erased', '--event', 'call.scored'];
  const changed = { enabled: false, description: null, eventTypes: ['lead.erased', 'call.scored'] };
  expect(await json('update', orgId, added.id, ...changes)).toEqual({
    ...endpoint,
    ...changed,
    updatedAt: expect.any(String),
  });
  expect(await json('update', orgId, added.id, '--enable')).toMatchObject({ ...changed, enabled: true });

  expect(await webhooks('remove', orgId, added.id)).toMatchObject({ code: 1 });
  expect(await stored(orgId)).toHaveLength(1);
  expect(await webhooks('remove', orgId, added.id, '--yes')).toMatchObject({ code: 0 });
  expect(await stored(orgId)).toEqual([]);
});

test('0: "add" prints the signing secret and the next command; "list" fits into a terminal of 80 columns', async () => {
  const orgId = await anOrganization();
  const { code, out, err } = await webhooks('add', orgId, URL_OF_SHOP, '--event', 'lead.created');
  expect(code).toBe(0);
  const [endpoint] = await stored(orgId);
  expect(out).toContain(secretOf(endpoint));
  expect(err).toContain(`npm run admin -- webhooks test ${orgId} ${endpoint?.id}`);
  const list = await admin(['webhooks', 'list', orgId], { columns: 80 });
  expect(list.out).toMatch(/^ENDPOINT +STATE +EVENTS +URL\n/);
  expect(Math.max(...list.out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(list.out).not.toContain('whsec_');
});

test('for a day after a rotation, a test message can be verified with both the new and the previous secret', async () => {
  const orgId = await anOrganization();
  const { id, secret } = await json('add', orgId, `${receiver.url}/hook`, '--event', 'lead.created');
  const rotated = await json('rotate-secret', orgId, id);
  expect(rotated.secret).not.toBe(secret);
  expect(await json('test', orgId, id)).toMatchObject({ delivered: true, status: 204, problem: null });
  const [{ body, headers } = { body: '', headers: {} }, ...others] = received;
  expect(others).toEqual([]);
  for (const one of [secret, rotated.secret]) {
    expect(new Webhook(one).verify(body, headers)).toMatchObject({ type: 'endpoint.test' });
  }
});

test('1: "test" fails and prints the reason if the receiver does not accept the message', async () => {
  const orgId = await anOrganization();
  const { id } = await storedEndpoint(orgId, { url: `${receiver.url}/hook` });
  status = 500;
  expect(await webhooks('test', orgId, id)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('responded with status 500'),
  });
  const { code, out, err } = await webhooks('test', orgId, id, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ delivered: false, status: 500 });
  expect(err).toContain('responded with status 500');
});

test.each([
  ['http://hooks.shop.example/', 'https'],
  ['https://127.0.0.1/', 'not public'],
])('1: "add" and "update" reject the URL %s, and nothing changes', async (url, reason) => {
  const orgId = await anOrganization();
  const endpoint = await storedEndpoint(orgId);
  const rejected = { code: 1, out: '', err: expect.stringContaining(reason) };
  expect(await webhooks('add', orgId, url, '--event', 'lead.created')).toMatchObject(rejected);
  expect(await webhooks('update', orgId, endpoint.id, '--url', url)).toMatchObject(rejected);
  expect(await stored(orgId)).toEqual([endpoint]);
});

test('1: an eleventh endpoint, an unknown organization and an unknown endpoint are rejected', async () => {
  const orgId = await anOrganization();
  for (let count = 0; count < ENDPOINTS_MAX; count += 1) await storedEndpoint(orgId);
  const add = (to: string) => webhooks('add', to, URL_OF_SHOP, '--event', 'lead.created');
  expect(await add(orgId)).toMatchObject({ code: 1, err: expect.stringContaining('10 webhook endpoints') });
  const unknown = randomUUID();
  expect((await add(unknown)).code).toBe(1);
  expect(await stored(unknown)).toEqual([]);
  for (const name of ['remove', 'rotate-secret', 'test'])
    expect(await webhooks(name, orgId, unknown)).toMatchObject({ code: 1, err: expect.stringContaining(unknown) });
});

describe('the messages to an endpoint', () => {
  const setUp = async (overrides: Partial<WebhookEndpoint> = {}) => {
    const orgId = await anOrganization();
    const { id: endpointId } = await storedEndpoint(orgId, overrides);
    const recent = { firstAttemptAt: new Date(Date.now() - 60_000).toISOString() };
    const failed = await storedDelivery({ orgId, endpointId }, recent);
    const delivered = await storedDelivery({ orgId, endpointId }, { ...recent, status: 'delivered' });
    return { orgId, endpointId, failed, delivered };
  };

  test('are listed with their attempts, and can be filtered by status', async () => {
    const { orgId, endpointId, failed, delivered } = await setUp();
    const { deliveries } = await json('deliveries', orgId, endpointId);
    const ids = deliveries.map(({ messageId }: { messageId: string }) => messageId);
    expect(ids.toSorted()).toEqual([failed.messageId, delivered.messageId].toSorted());
    expect(await json('deliveries', orgId, endpointId, '--status', 'failed')).toMatchObject({
      deliveries: [{ messageId: failed.messageId, attempts: [{ number: 1, status: 500 }] }],
      nextCursor: null,
    });
    const { out } = await admin(['webhooks', 'deliveries', orgId, endpointId], { columns: 80 });
    expect(out).toContain('leadId' in failed.subject && failed.subject.leadId);
    expect(out).toContain('attempt 1: 500');
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test('can be requested again: a single message by its id, or all failed messages since a time', async () => {
    const { orgId, endpointId, failed, delivered } = await setUp();
    const { messageId } = delivered;
    expect(await json('redeliver', orgId, endpointId, '--message', messageId)).toEqual({ messageId });
    expect(await createDynamoLaneRepository().find(delivered)).toMatchObject({ redeliveries: ['lead.created'] });
    expect(await createDynamoLaneRepository().find(failed)).toBeUndefined();
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await json('redeliver', orgId, endpointId, '--since', since)).toMatchObject({
      since,
      includeDelivered: false,
    });
    const { redelivery } = (await createDynamoEndpointStateRepository().find(endpointId)) ?? {};
    expect(redelivery).toMatchObject({ since, includeDelivered: false });
  });

  test('1: cannot be requested again while the endpoint is paused; "update --enable" ends the pause', async () => {
    const at = new Date().toISOString();
    const { orgId, endpointId, failed } = await setUp({ pausedAt: at, failingSince: at });
    expect((await webhooks('list', orgId)).out).toContain('paused');
    const redeliver = () => webhooks('redeliver', orgId, endpointId, '--message', failed.messageId);
    expect(await redeliver()).toMatchObject({ code: 1, err: expect.stringContaining('paused') });
    expect(await json('update', orgId, endpointId, '--enable')).toMatchObject({ pausedAt: null, failingSince: null });
    expect(await createDynamoEndpointStateRepository().find(endpointId)).toMatchObject({ dueAt: expect.any(String) });
    expect(await redeliver()).toMatchObject({ code: 0 });
  });
});

test.each([
  [['redeliver', randomUUID(), randomUUID()], 'give either --message or --since'],
  [['redeliver', randomUUID(), randomUUID(), '--message', 'msg_1'], 'webhooks deliveries'],
  [['add', randomUUID(), URL_OF_SHOP], 'give at least one --event'],
  [['add', randomUUID(), URL_OF_SHOP, '--event', 'lead.stolen'], 'lead.created, lead.updated'],
  [['update', randomUUID(), randomUUID()], 'give at least one of'],
  [['update', randomUUID(), randomUUID(), '--enable', '--disable'], 'cannot be used with'],
])('2: %j is a usage error', async (args, message) => {
  expect(await webhooks(...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

describe('with --stage,', () => {
  const DEPLOYED = 'the secret of the stage';
  let reads: { target: string | undefined; signed: boolean; body: unknown }[] = [];
  let respond: RequestListener;
  let secretsManager: Awaited<ReturnType<typeof startHttpServer>>;

  beforeAll(async () => {
    secretsManager = await startHttpServer(async (request, response) => {
      const { 'x-amz-target': target, authorization = '' } = request.headers;
      const signed = authorization.includes('/eu-central-1/secretsmanager/aws4_request');
      reads.push({ target: String(target), signed, body: JSON.parse(await text(request)) });
      respond(request, response);
    });
  });
  afterAll(() => secretsManager.close());
  beforeEach(() => {
    reads = [];
    respond = (_, response) => response.end(JSON.stringify({ SecretString: DEPLOYED }));
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', secretsManager.url);
    vi.stubEnv('WEBHOOK_OWN_HOSTNAMES', 'api.tributary.example,pages.tributary.example');
  });

  const inStage = (...args: string[]) =>
    admin(['webhooks', ...args, '--stage', 'dev', '--json'], { connect: async () => ({ indexDelayMs: 0 }) });
  const add = (orgId: string, url: string) => inStage('add', orgId, url, '--event', 'lead.created');

  test('commands read the master secret with the operator’s credentials, and derive signing secrets from it', async () => {
    const orgId = await anOrganization();
    const { id, secret } = JSON.parse((await add(orgId, URL_OF_SHOP)).out);
    expect(secret).toBe(secretOf((await stored(orgId))[0], DEPLOYED));
    const rotated = JSON.parse((await inStage('rotate-secret', orgId, id)).out);
    expect(rotated.secret).toBe(secretOf((await stored(orgId))[0], DEPLOYED));
    const read = { target: 'secretsmanager.GetSecretValue', signed: true, body: { SecretId: 'tributary/webhooks' } };
    expect(reads).toEqual([read, read]);
  });

  test('1: nothing changes if the credentials may not read the master secret', async () => {
    const orgId = await anOrganization();
    const endpoint = await storedEndpoint(orgId);
    const message = 'User: ada is not authorized to perform: secretsmanager:GetSecretValue';
    respond = (_, response) =>
      response.writeHead(400).end(JSON.stringify({ __type: 'AccessDeniedException', Message: message }));
    const denied = { code: 1, out: '', err: expect.stringContaining(message) };
    expect(await add(orgId, URL_OF_SHOP)).toMatchObject(denied);
    expect(await inStage('rotate-secret', orgId, endpoint.id)).toMatchObject(denied);
    expect(await inStage('test', orgId, endpoint.id)).toMatchObject(denied);
    expect(await stored(orgId)).toEqual([endpoint]);
  });

  test('1: "add" and "update" reject URLs of the deployment, and URLs that only a local environment allows', async () => {
    const orgId = await anOrganization();
    const endpoint = await storedEndpoint(orgId);
    for (const [url, reason] of [
      ['https://api.tributary.example/', 'of your own'],
      ['https://pages.tributary.example/', 'of your own'],
      [`${receiver.url}/hook`, 'https'],
    ] as const) {
      const refused = { code: 1, err: expect.stringContaining(reason) };
      expect(await add(orgId, url)).toMatchObject(refused);
      expect(await inStage('update', orgId, endpoint.id, '--url', url)).toMatchObject(refused);
    }
    expect(await stored(orgId)).toEqual([endpoint]);
  });
});
