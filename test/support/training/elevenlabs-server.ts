import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createElevenLabsVoiceProvider } from '../../../shared/training/elevenlabs/voice-provider.ts';

export const KEY = 'sk_0123456789abcdef0123456789abcdef0123456789abcdef';

type VoiceCall = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
/** What happens to a request in place of what the API documents. */
type Fault = (response: ServerResponse, call: VoiceCall) => void;

/**
 * ElevenLabs' agents behind HTTP on this machine, by their documentation
 * (https://elevenlabs.io/docs/api-reference/conversations, …/agents/create): signed URLs, conversations, recordings.
 */
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
    else answer(call, response);
  });
  const answer = ({ method, url, headers }: VoiceCall, response: ServerResponse) => {
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
    /** The next requests meet these, one each. */
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

/** An answer of any kind. */
export const says =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Fault =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** The connection breaks before an answer. */
export const breaks: Fault = (response) => void response.socket?.destroy();

/** Nothing is ever answered. */
export const isSilent: Fault = () => undefined;

/** Gives a file's tests a provider, and the adapter with time-outs that tests can wait for. */
export function useElevenLabs() {
  let server: Awaited<ReturnType<typeof startElevenLabs>>;
  beforeAll(async () => {
    server = await startElevenLabs();
  });
  beforeEach(() => {
    for (const kept of [server.calls, server.faults]) kept.length = 0;
    for (const kept of [server.conversations, server.recordings]) kept.clear();
  });
  afterAll(() => server.close());
  const patience = { session: 10_000, conversation: 10_000, recording: 10_000, agent: 10_000 };
  return {
    server: () => server,
    voice: ({ key = KEY, timeouts = {}, baseUrl = server.baseUrl } = {}) =>
      createElevenLabsVoiceProvider({
        baseUrl: () => baseUrl,
        apiKey: async () => key,
        timeouts: { ...patience, ...timeouts },
      }),
  };
}

/** How any request can go wrong, and what is said of it. The provider's words may repeat anybody's. */
export const FAULTS: readonly (readonly [string, Fault, RegExp])[] = [
  ['down', breaks, /could not be reached/],
  ['a 401', says(401, 'Alex, sk_other'), /answered 401/],
  ['a 422', says(422, 'Alex, sk_other'), /answered 422/],
  ['a 429', says(429, 'Alex, sk_other'), /answered 429/],
  ['a 500', says(500, 'Alex, sk_other'), /answered 500/],
  ['a redirect', says(307, '', { location: 'https://elsewhere.example/Alex' }), /answered 307/],
];

/** Fails as a voice provider does, in our words alone. */
export async function expectVoiceFailure(promise: Promise<unknown>, sentence: RegExp): Promise<void> {
  const error = await failureOf(promise);
  expect(error).toMatchObject({ name: 'VoiceFailure', message: expect.stringMatching(sentence) });
  expect(`${error.message} ${String(error.cause)}`).not.toMatch(/sk_|Alex|once/);
}

/** What a promise was rejected with. */
export const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: unknown) => error as Error,
  );
