import { callCompletionApi } from 'ai';
import { expect, test } from 'vitest';
import { preflightHeaders } from '../../infra/stacks/api/gateway-responses.ts';

/** Headers that need no preflight request (Fetch standard, CORS-safelisted request-header). */
const SAFELISTED = ['accept', 'accept-language', 'content-language', 'range'];

const allowed = (preflightHeaders('*', ['POST'])['Access-Control-Allow-Headers'] ?? '').toLowerCase().split(',');

/** Returns the names of the headers that the completion hook of the AI SDK sends with a prompt. */
async function sentByCompletion(): Promise<string[]> {
  const sent: string[] = [];
  await callCompletionApi({
    api: 'https://api.example.com',
    prompt: 'Why?',
    credentials: undefined,
    headers: { accept: 'text/event-stream' },
    body: {},
    streamProtocol: 'text',
    setCompletion: () => undefined,
    setLoading: () => undefined,
    setError: () => undefined,
    setAbortController: () => undefined,
    onFinish: undefined,
    onError: undefined,
    fetch: async (_url, init) => {
      sent.push(...new Headers(init?.headers).keys());
      return new Response('Because.');
    },
  });
  return sent;
}

test('the preflight response allows every header that the AI SDK adds to a prompt', async () => {
  const sent = await sentByCompletion();
  expect(sent).toContain('content-type');
  expect(sent.filter((name) => !allowed.includes(name) && !SAFELISTED.includes(name))).toEqual([]);
});

test.each(['content-type', 'authorization', 'idempotency-key'])('preflight responses allow the header %s', (name) => {
  expect(allowed).toContain(name);
});
