import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createExtensionSecretStore } from '../../../../shared/platform/aws/extension-secret-store.ts';

type ReceivedRequest = { url: string | undefined; token: string | string[] | undefined };
let requests: ReceivedRequest[] = [];
let response = { status: 200, body: '' };

/** A server with the protocol of the AWS Parameters and Secrets Lambda Extension. */
const server = createServer((request, reply) => {
  requests.push({ url: request.url, token: request.headers['x-aws-parameters-secrets-token'] });
  reply.writeHead(response.status).end(response.body);
});

beforeAll(async () => {
  server.listen(0, 'localhost');
  await once(server, 'listening');
  process.env.PARAMETERS_SECRETS_EXTENSION_HTTP_PORT = String((server.address() as AddressInfo).port);
  process.env.AWS_SESSION_TOKEN = 'session';
});
afterAll(() => void server.close());
beforeEach(() => {
  requests = [];
  response = { status: 200, body: '{"SecretString":"s3cret"}' };
});

test('after a successful read, a secret is not requested from the extension again for five minutes', async () => {
  let now = 0;
  const secrets = createExtensionSecretStore({ now: () => now });
  const id = 'tributary/leads ä';
  expect(await Promise.all([secrets.read(id), secrets.read(id)])).toEqual(['s3cret', 's3cret']);
  now = 299_999;
  await secrets.read(id);
  expect(requests).toEqual([{ url: `/secretsmanager/get?secretId=${encodeURIComponent(id)}`, token: 'session' }]);
  now = 300_000;
  await secrets.read(id);
  expect(requests).toHaveLength(2);
});

test.each([
  [400, '{"SecretString":"s3cret"}'],
  [200, 'no json'],
  [200, '{}'],
  [200, '{"SecretString":""}'],
])('the response %i %s causes an error that does not contain the secret, and is not cached', async (status, body) => {
  const secrets = createExtensionSecretStore({ now: () => 0 });
  response = { status, body };
  const failure = await secrets.read('leads').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(String(failure)).toContain('leads');
  expect(String(failure)).not.toContain('s3cret');
  response = { status: 200, body: '{"SecretString":"s3cret"}' };
  expect(await secrets.read('leads')).toBe('s3cret');
});
