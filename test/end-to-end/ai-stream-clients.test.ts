import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  callCompletionApi,
  DefaultChatTransport,
  readUIMessageStream,
  TextStreamChatTransport,
  type UIMessage,
} from 'ai';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalRuntime, startLocalRuntime } from '../support/local/runtime.ts';
import { startTextModelServer } from '../support/text-model-server.ts';

const model = await startTextModelServer();
let runtime: LocalRuntime;
beforeAll(async () => {
  const env = { AI_BASE_URL: model.baseUrl, AI_MODELS: 'local', AI_API_KEY: 'sk-local', LOCAL_RATE_LIMITS: 'off' };
  runtime = await startLocalRuntime({ args: ['--empty'], env });
}, 120_000);
afterAll(async () => {
  await runtime?.stop();
  model.close();
});

const url = (funnelId = runtime.demo.funnel.id) => `${runtime.demo.baseUrl}/api/v2/public/funnel/${funnelId}/ai-stream`;
const post = (prompt: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(url(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ prompt }),
    ...(signal && { signal }),
  });

/** Runs the AI SDK's completion hook, and records the states and errors that a web page would show. */
async function completion(streamProtocol: 'text' | 'data', headers: Record<string, string> = {}) {
  const states: string[] = [];
  const errors: Error[] = [];
  const text = await callCompletionApi({
    api: url(),
    prompt: 'Is my roof fit?',
    credentials: undefined,
    headers,
    body: {},
    streamProtocol,
    setCompletion: (state) => states.push(state),
    setLoading: () => undefined,
    setError: (error) => error && errors.push(error),
    setAbortController: () => undefined,
    onFinish: undefined,
    onError: undefined,
    fetch,
  });
  return { text, states, errors };
}

const EVENTS = { accept: 'text/event-stream' };

describe('the AI SDK', () => {
  test("with streamProtocol 'text', a completion starts empty, only gets longer, and ends with the whole text", async () => {
    model.answer({ deltas: ['Your ', 'roof ', 'is fit. \u{1f3e0}'], betweenMs: 30 });
    const { text, states, errors } = await completion('text');
    expect(errors).toEqual([]);
    expect(text).toBe('Your roof is fit. \u{1f3e0}');
    expect(states.every((state, index) => state.startsWith(states[index - 1] ?? ''))).toBe(true);
    expect([states[0], states.at(-1)]).toEqual(['', text]);
  });

  test("with streamProtocol 'data' and the header accept: text/event-stream, a completion gets the text", async () => {
    model.answer({ deltas: ['Your ', 'roof.'], betweenMs: 20 });
    const { text, errors } = await completion('data', EVENTS);
    expect([text, errors]).toEqual(['Your roof.', []]);
  });

  test('a completion gets an error if the stream is interrupted', async () => {
    model.answer({ deltas: ['Your ', 'roof'], at: { delta: 2, happens: 'cut' } });
    for (const [protocol, headers] of [
      ['text', {}],
      ['data', EVENTS],
    ] as const) {
      const { text, errors, states } = await completion(protocol, headers);
      expect(text).toBeFalsy();
      expect(errors).toHaveLength(1);
      expect(states.at(-1)).toBe('Your roof');
    }
  });

  test.each([
    ['TextStreamChatTransport', TextStreamChatTransport, {}],
    ['DefaultChatTransport', DefaultChatTransport, EVENTS],
  ] as const)('%s receives the text of the model as a message', async (name, Transport, headers) => {
    model.answer({ deltas: ['Your ', 'roof.'] });
    const transport = new Transport<UIMessage>({
      api: url(),
      headers,
      prepareSendMessagesRequest: ({ messages }) => ({ body: { prompt: textOf(messages.at(-1)) } }),
    });
    const asked: UIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: 'Is my roof fit?' }] };
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'chat',
      messageId: undefined,
      messages: [asked],
      abortSignal: undefined,
    });
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
    expect(textOf(last)).toBe('Your roof.');
    if (name === 'DefaultChatTransport') expect(last?.metadata).toEqual({ writer: 'model' });
    expect(model.calls.at(-1)?.body.messages).toMatchObject([{ role: 'system' }, { content: 'Is my roof fit?' }]);
  });
});

const textOf = (message: UIMessage | undefined) =>
  message?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';

test('a standard parser of server-sent events can read every event, and the last event is [DONE]', async () => {
  model.answer({ deltas: ['Zeile\n\n', 'zwei'], betweenMs: 20 });
  const answer = await post('Is my roof fit?', EVENTS);
  const events: string[] = [];
  const stream = answer.body
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream({ onError: 'terminate' }));
  for await (const { data } of stream ?? []) events.push(data);
  const types = events.slice(0, -1).map((data) => JSON.parse(data).type);
  expect(types).toEqual(['start', 'text-start', 'text-delta', 'text-delta', 'text-end', 'finish']);
  expect(events.at(-1)).toBe('[DONE]');
});

test('text arrives before the model has finished', async () => {
  model.answer({ deltas: ['first'], at: { delta: 1, happens: 'silence' } });
  const leaving = new AbortController();
  const answer = await post('Is my roof fit?', {}, leaving.signal);
  const { value } = (await answer.body?.getReader().read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toBe('first');
  leaving.abort();
  expect(await model.calls.at(-1)?.over).toBe('left');
});

test.each([0, 1])('if the client disconnects after %i deltas, the request to the model is cancelled', async (delta) => {
  model.answer({ deltas: ['So'], at: { delta, happens: 'silence' } });
  const leaving = new AbortController();
  const before = model.calls.length;
  const answer = post('Is my roof fit?', {}, leaving.signal).then((response) => response.text());
  while (model.calls.length === before) await sleep(5);
  await sleep(50);
  leaving.abort();
  await expect(answer).rejects.toThrow();
  expect(await model.calls.at(-1)?.over).toBe('left');
});

test('502: a request fails if the model fails before its first token, and the next request succeeds', async () => {
  for (const failing of [
    { status: 500, said: 'sk-local' },
    { deltas: [], at: { delta: 0, happens: 'reset' } as const },
  ]) {
    model.answer(failing);
    const answer = await post('Is my roof fit?');
    expect(answer.status).toBe(502);
    expect(await answer.json()).toEqual({ error: { message: expect.stringMatching(/failed to respond/) } });
  }
  model.answer({ deltas: ['Yes.'] });
  expect(await (await post('Is my roof fit?')).text()).toBe('Yes.');
});

test('if the model fails after its first token, the connection is closed, and reading the response fails', async () => {
  model.answer({ deltas: ['So'], at: { delta: 1, happens: 'error' } });
  const answer = await post('Is my roof fit?');
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
});

test('404: the demo funnel without an AI block streams no reply', async () => {
  const answer = await fetch(url(runtime.demo.emptyFunnel.id), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"prompt":"Is my roof fit?"}',
  });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
});

test('the model receives the API key, and no log contains the key, the prompt or the text', async () => {
  model.answer({ deltas: ['The confidential answer'], at: { delta: 1, happens: 'error' } });
  await post('A confidential question').then((answer) => answer.text().catch(() => undefined));
  expect(model.calls.at(-1)?.headers.authorization).toBe('Bearer sk-local');
  const logged = (await readFile(join(runtime.state, 'functions.log'), 'utf8')) + runtime.output();
  expect(logged).toContain('The model failed after its first token.');
  expect(logged).not.toMatch(/confidential|sk-local|Is my roof fit|Northlight Solar, in two/);
});
