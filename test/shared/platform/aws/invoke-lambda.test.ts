import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { invokeAndWait, invokeAsync } from '../../../../shared/platform/aws/invoke-lambda.ts';

type Received = { method: string; path: string; headers: IncomingMessage['headers']; body: string };
type Reply = (response: ServerResponse) => void;

const responses = (status: number, headers: Record<string, string> = {}): Reply => {
  return (response) => response.writeHead(status, headers).end('{"message":"words of AWS"}');
};
const hangsUp: Reply = (response) => void response.socket?.destroy();

let received: Received[];
let replies: Reply[];

const server = createServer(async (request, response) => {
  let body = '';
  for await (const bytes of request) body += bytes;
  received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
  (replies.shift() ?? responses(202))(response);
});

beforeEach(async () => {
  [received, replies] = [[], []];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a key of the tests');
  vi.stubEnv('AWS_SESSION_TOKEN', 'a session of the tests');
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterEach(() => void vi.restoreAllMocks());

test('202: invokeAsync sends the event once, for asynchronous execution', async () => {
  await invokeAsync('tributary-test-analyse', { callId: 'c1', word: 'Grüße' });
  expect(received).toMatchObject([
    {
      method: 'POST',
      path: '/2015-03-31/functions/tributary-test-analyse/invocations',
      headers: { 'x-amz-invocation-type': 'Event' },
    },
  ]);
  expect(JSON.parse(received[0]?.body ?? '')).toEqual({ callId: 'c1', word: 'Grüße' });
});

test.each(['tributary-test-analyse', 'tributary-test-analyse:live'])(
  'the request to invoke %s has the session token and the same signature as a request of the SDK',
  async (name) => {
    await invokeAsync(name, { word: 'Grüße' });
    const [request] = received;
    if (request === undefined) throw new Error('Nothing was received.');
    expect(request.headers['x-amz-security-token']).toBe('a session of the tests');
    expect(request.headers.authorization).toBe(await signedByTheSdk(request));
  },
);

test('invokeAsync invokes the alias of a function if the function name contains an alias', async () => {
  await invokeAsync('tributary-test-analyse:live', {});
  expect(received.map(({ path }) => decodeURIComponent(path))).toEqual([
    '/2015-03-31/functions/tributary-test-analyse:live/invocations',
  ]);
});

test.each([429, 500, 503])('%i: invokeAsync retries until the third attempt succeeds', async (status) => {
  replies = [responses(status), responses(status)];
  await invokeAsync('f', {});
  expect(received).toHaveLength(3);
});

test('invokeAsync retries if the connection breaks', async () => {
  replies = [hangsUp];
  await invokeAsync('f', {});
  expect(received).toHaveLength(2);
});

test('invokeAsync fails after three attempts, with an error that names the function and the last status', async () => {
  replies = [hangsUp, responses(500), responses(503)];
  await expect(invokeAsync('tributary-test-analyse', {})).rejects.toThrow(
    'Lambda rejected the invocation of tributary-test-analyse: status 503 (no error type).',
  );
  expect(received).toHaveLength(3);
});

test.each([
  [404, 'ResourceNotFoundException:http://internal.amazon.example/'],
  [403, 'AccessDeniedException'],
  [200, 'Unheard-of'],
])(
  '%i %s: invokeAsync fails without a retry, with an error that does not contain the message of AWS',
  async (status, type) => {
    replies = [responses(status, { 'x-amzn-errortype': type })];
    const failure = await invokeAsync('f', {}).catch((error: Error) => error);
    expect(String(failure)).toBe(
      `Error: Lambda rejected the invocation of f: status ${status} (${type.split(':')[0]}).`,
    );
    expect(received).toHaveLength(1);
  },
);

test('invokeAsync does not follow a redirect', async () => {
  replies = [1, 2, 3].map(() => responses(307, { Location: '/elsewhere' }));
  await expect(invokeAsync('f', {})).rejects.toThrow('Lambda did not respond');
  expect(received.map(({ path }) => path)).not.toContain('/elsewhere');
});

test('invokeAndWait waits for the response, and does not throw if the function failed', async () => {
  let respond: (() => void) | undefined;
  replies = [(response) => (respond = () => responses(200, { 'x-amz-function-error': 'Unhandled' })(response))];
  const ended = invokeAndWait('f', { endMs: 1 }, 5_000);
  await expect.poll(() => respond).toBeDefined();
  expect(await Promise.race([ended, 'running'])).toBe('running');
  respond?.();
  expect(await ended).toBe(true);
  expect(received).toMatchObject([{ headers: { 'x-amz-invocation-type': 'RequestResponse' }, body: '{"endMs":1}' }]);
});

test('429: invokeAndWait reports that the function has no free concurrency, without a retry', async () => {
  replies = [responses(429)];
  expect(await invokeAndWait('f', {}, 5_000)).toBe(false);
  expect(received).toHaveLength(1);
});

test.each([202, 403, 503])('%i: invokeAndWait fails without a retry', async (status) => {
  replies = [responses(status)];
  await expect(invokeAndWait('f', {}, 5_000)).rejects.toThrow(`Lambda rejected the invocation of f: status ${status}`);
  expect(received).toHaveLength(1);
});

test('invokeAndWait fails if there is no response within the given time', async () => {
  replies = [() => undefined];
  await expect(invokeAndWait('f', {}, 50)).rejects.toThrow('Lambda did not respond');
});

test('invokeAsync rejects a payload over 256 KB without sending it', async () => {
  await expect(invokeAsync('f', { text: 'x'.repeat(262_144) })).rejects.toThrow('262155 bytes');
  expect(received).toEqual([]);
});

test.each([
  ['eu-central-1', 'https://lambda.eu-central-1.amazonaws.com'],
  ['us-gov-west-1', 'https://lambda.us-gov-west-1.amazonaws.com'],
  ['cn-north-1', 'https://lambda.cn-north-1.amazonaws.com.cn'],
  ['eusc-de-east-1', 'https://lambda.eusc-de-east-1.amazonaws.eu'],
])('in the region %s, the invocation is sent to %s', async (region, endpoint) => {
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', '');
  vi.stubEnv('AWS_REGION', region);
  vi.resetModules();
  const requests = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null, { status: 202 }));
  const { invokeAsync: fresh } = await import('../../../../shared/platform/aws/invoke-lambda.ts');
  await fresh('f', {});
  expect(String(requests.mock.calls[0]?.[0])).toBe(`${endpoint}/2015-03-31/functions/f/invocations`);
});

/** Signs the same request with the SDK's signer, and returns the Authorization header. */
async function signedByTheSdk({ method, path, headers, body }: Received): Promise<string | undefined> {
  const [, names = ''] = /SignedHeaders=([^,]*)/.exec(headers.authorization ?? '') ?? [];
  const time = String(headers['x-amz-date']);
  const signer = await new DynamoDBClient({}).config.signer();
  const signed = await signer.sign(
    {
      method,
      path,
      body,
      protocol: 'http:',
      hostname: '127.0.0.1',
      headers: Object.fromEntries(names.split(';').map((name) => [name, String(headers[name])])),
    },
    {
      signingDate: new Date(time.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')),
      signingService: 'lambda',
      signingRegion: 'eu-central-1',
      unsignableHeaders: new Set(['x-amz-content-sha256']),
    },
  );
  return signed.headers.authorization;
}
