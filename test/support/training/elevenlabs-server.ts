import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createElevenLabsVoiceProvider } from '../../../shared/training/elevenlabs/voice-provider.ts';

export const KEY = 'sk_0123456789abcdef0123456789abcdef0123456789abcdef';

type VoiceCall = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
/** Replaces the documented response of a request. */
type Fault = (response: ServerResponse, call: VoiceCall) => void;

/** Starts a server with the agents API of ElevenLabs (https://elevenlabs.io/docs/api-reference/conversations). */
async function startElevenLabs() {
  const calls: VoiceCall[] = [];
  const faults: Fault[] = [];
  const conversations = new Map<string, object>();
  const recordings = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const bytes of request.setEncoding('utf8')) body += bytes;
    const call = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    calls.push(call);
    const fault = faults.shift();
    if (fault) fault(response, call);
    else respond(call, response);
  });
  const respond = ({ method, url, headers }: VoiceCall, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(url, 'http://provider');
    const [, id = '', audio] = /^\/v1\/convai\/conversations\/([^/]+)(\/audio)?$/.exec(pathname) ?? [];
    const found = audio ? recordings.get(id) : conversations.get(decodeURIComponent(id));
    if (headers['xi-api-key'] !== KEY) return json(response, 401, { detail: { status: 'invalid_api_key' } });
    if (method === 'GET' && pathname === '/v1/convai/conversation/get-signed-url') {
      const agent = searchParams.get('agent_id');
      const signed_url = `wss://provider.example/v1/convai/conversation?agent_id=${agent}&conversation_signature=once`;
      const withId = searchParams.get('include_conversation_id') === 'true';
      return json(response, 200, { signed_url, ...(withId && { conversation_id: `conv_${calls.length}` }) });
    }
    if (method === 'POST' && pathname === '/v1/convai/agents/create')
      return json(response, 200, { agent_id: 'agent_1' });
    if (method === 'DELETE' && !audio && conversations.delete(decodeURIComponent(id))) {
      recordings.delete(id);
      return json(response, 200, {});
    }
    if (method !== 'GET' || found === undefined) return json(response, 404, { detail: { status: 'not_found' } });
    if (!Buffer.isBuffer(found)) return json(response, 200, found);
    return void response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': found.length }).end(found);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    /** Each of these faults applies to one of the next requests, in order. */
    faults,
    conversations,
    recordings,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export const respondWith =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Fault =>
  (response) =>
    void response.writeHead(status, headers).end(body);

export const breakConnection: Fault = (response) => void response.socket?.destroy();

export const neverRespond: Fault = () => undefined;

/** Starts the server for the tests of a file. `voice` creates the adapter, by default with long timeouts. */
export function useElevenLabs() {
  let server: Awaited<ReturnType<typeof startElevenLabs>>;
  beforeAll(async () => {
    server = await startElevenLabs();
  });
  beforeEach(() => {
    server.calls.length = 0;
    server.faults.length = 0;
    server.conversations.clear();
    server.recordings.clear();
  });
  afterAll(() => server.close());
  const longTimeouts = { session: 10_000, conversation: 10_000, recording: 10_000, agent: 10_000 };
  return {
    server: () => server,
    voice: ({ key = KEY, timeouts = {}, baseUrl = server.baseUrl } = {}) =>
      createElevenLabsVoiceProvider({
        baseUrl: () => baseUrl,
        apiKey: async () => key,
        timeouts: { ...longTimeouts, ...timeouts },
      }),
  };
}

/**
 * Faults that any request can have, with the expected error message. Most responses contain a name or a key. The tests
 * check that no error message quotes them.
 */
export const FAULTS: readonly (readonly [string, Fault, RegExp])[] = [
  ['a broken connection', breakConnection, /connection to the voice provider failed/],
  ['a 401', respondWith(401, 'Alex, sk_other'), /responded with status 401/],
  ['a 422', respondWith(422, 'Alex, sk_other'), /responded with status 422/],
  ['a 429', respondWith(429, 'Alex, sk_other'), /responded with status 429/],
  ['a 500', respondWith(500, 'Alex, sk_other'), /responded with status 500/],
  ['a redirect', respondWith(307, '', { location: 'https://elsewhere.example/Alex' }), /responded with status 307/],
];

/** Expects a VoiceProviderError whose message and cause quote no name, key or signature of a response. */
export async function expectVoiceProviderError(promise: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await rejectionOf(promise);
  expect(error).toMatchObject({ name: 'VoiceProviderError', message: expect.stringMatching(message) });
  expect(`${error.message} ${String(error.cause)}`).not.toMatch(/sk_|Alex|once/);
}

export const rejectionOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('The promise was not rejected.')),
    (error: unknown) => error as Error,
  );
