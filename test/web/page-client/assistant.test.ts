import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { MODEL_TIMEOUTS } from '../../../shared/ai/model-timeouts.ts';
import { type FinishReason, uiMessageStreamEncoder } from '../../../shared/http/text-stream.ts';
import { streamReply } from '../../../web/page-client/assistant.ts';
import { advance, apiError, createFunnelStub, json, loginPage, settle, usePage, useService } from './part-world.ts';

usePage();
const { requests, respond } = useService((url, init) => ({ url, init }));

type End = FinishReason | 'model fails';

/** Encodes a reply as the service does. */
async function encode(deltas: readonly string[], end: End = 'stop'): Promise<string> {
  async function* generate(): AsyncGenerator<string, FinishReason, undefined> {
    yield* deltas;
    if (end === 'model fails') throw new Error('The model failed.');
    return end;
  }
  const stream = generate();
  const started = { deltas: stream, first: await stream.next(), metadata: { writer: 'model' }, requestId: 'r-1' };
  let text = '';
  for await (const chunk of uiMessageStreamEncoder.encode(started)) text += chunk;
  return text;
}

type StreamEnd = 'closes' | 'breaks' | 'hangs';

/** A response that sends these chunks. With `hangs`, it then waits until the request is aborted. */
function streamOf(chunks: readonly Uint8Array[], end: StreamEnd = 'closes'): Response {
  const signal = requests.at(-1)?.init.signal;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      if (end === 'closes') controller.close();
      signal?.addEventListener('abort', () => end === 'hangs' && controller.error(signal.reason));
    },
    pull(controller) {
      if (end === 'breaks') controller.error(new TypeError('network error'));
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function replyTo(deltas: readonly string[], end?: End): Promise<() => Response> {
  const bytes = bytesOf(await encode(deltas, end));
  return () => streamOf([bytes]);
}

function ask(signal?: AbortSignal) {
  const texts: string[] = [];
  const reply = streamReply(createFunnelStub(), { prompt: 'A prompt', signal, onText: (text) => texts.push(text) });
  return { texts, reply };
}

const FIRST = ['A battery ', 'stores '];

test('the outcome is "complete" after the whole text', async () => {
  respond(await replyTo(['A battery ', '', 'stores ', 'energy.']));
  const { texts, reply } = ask();
  expect(await settle(reply)).toEqual({ status: 'complete' });
  expect(texts).toEqual(['A battery ', 'stores ', 'energy.']);
  const [request] = requests;
  expect(request?.url).toBe('https://api.example/api/v2/public/funnel/funnel-1/ai-stream');
  expect(request?.init).toMatchObject({ method: 'POST', body: '{"prompt":"A prompt"}', credentials: 'omit' });
  expect(request?.init.headers).toEqual({ 'Content-Type': 'application/json', Accept: 'text/event-stream' });
});

const deltas = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 });
const positions = fc.array(fc.nat(2_000), { maxLength: 30 });

function cutAt(bytes: Uint8Array, unsorted: readonly number[]): Uint8Array[] {
  const cuts = unsorted.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other);
  return [0, ...cuts].map((start, index) => bytes.slice(start, cuts[index] ?? bytes.length));
}

test('wherever the network splits the stream into chunks, even inside a character, the text is the same', async () => {
  const random = fc.asyncProperty(deltas, positions, async (given, cuts) => {
    const bytes = bytesOf(await encode(given));
    respond(() => streamOf(cutAt(bytes, cuts)));
    const { texts, reply } = ask();
    expect(await settle(reply)).toEqual({ status: 'complete' });
    expect(texts).toEqual(given);
  });
  await fc.assert(random, { numRuns: 200 });
});

test('if the connection is lost, the text so far is kept; the request is retried only before the first text', async () => {
  const lost = fc.record({
    bytes: fc.nat(2_000),
    cuts: positions,
    end: fc.constantFrom<StreamEnd>('closes', 'breaks'),
  });
  const random = fc.asyncProperty(deltas, fc.array(lost, { maxLength: 2 }), async (given, losses) => {
    const bytes = bytesOf(await encode(given));
    const before = requests.length;
    respond(
      ...losses.map((loss) => () => streamOf(cutAt(bytes.slice(0, loss.bytes % bytes.length), loss.cuts), loss.end)),
      () => streamOf([bytes]),
    );
    const { texts, reply } = ask();
    const outcome = await settle(reply);
    if (outcome.status === 'complete') expect(texts).toEqual(given);
    else {
      expect(outcome).toEqual({ status: 'cut-off', reason: 'connection' });
      expect(texts.length).toBeGreaterThan(0);
      expect(texts).toEqual(given.slice(0, texts.length));
    }
    expect(requests.length - before).toBeLessThanOrEqual(losses.length + 1);
  });
  await fc.assert(random, { numRuns: 200 });
});

test.each([
  ['length', 'length'],
  ['content-filter', 'content-filter'],
  ['other', 'other'],
  ['model fails', 'model'],
] as const)('if a stream with text ends with "%s", the outcome is "cut-off", without a retry', async (end, reason) => {
  respond(await replyTo(FIRST, end));
  const { texts, reply } = ask();
  expect(await settle(reply)).toEqual({ status: 'cut-off', reason });
  expect(texts).toEqual(FIRST);
  expect(requests).toHaveLength(1);
});

test('if a connection is silent for 30 seconds after the first text, the outcome is "cut-off"', async () => {
  const beginning = bytesOf((await encode(FIRST)).split('data: {"type":"text-end"')[0] ?? '');
  respond(() => streamOf([beginning], 'hangs'));
  const { texts, reply } = ask();
  await advance(29_000);
  expect(requests[0]?.init.signal?.aborted).toBe(false);
  expect(await settle(reply)).toEqual({ status: 'cut-off', reason: 'connection' });
  expect(texts).toEqual(FIRST);
  expect(requests).toHaveLength(1);
  // The client aborts a silent stream after 30 seconds. The service must end it earlier.
  expect(Math.max(MODEL_TIMEOUTS.firstTextMs, MODEL_TIMEOUTS.betweenPartsMs)).toBeLessThan(30_000);
});

/** The service never responds. */
const hang = () =>
  new Promise<Response>((_resolve, reject) => {
    const signal = requests.at(-1)?.init.signal;
    signal?.addEventListener('abort', () => reject(signal.reason));
  });

test('if the service does not respond for 30 seconds, the request is retried', async () => {
  respond(hang, await replyTo(FIRST));
  const { texts, reply } = ask();
  await advance(29_000);
  expect(requests).toHaveLength(1);
  expect(await settle(reply)).toEqual({ status: 'complete' });
  expect(texts).toEqual(FIRST);
});

test('a text that takes longer than 30 seconds is read to its end', async () => {
  const pieces = (await encode(FIRST)).split(/(?<=\n\n)/).map(bytesOf);
  const slow = (signal: RequestInit['signal']): UnderlyingDefaultSource<Uint8Array> => ({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
  const bodyOf = () => new ReadableStream(slow(requests.at(-1)?.init.signal));
  respond(() => new Response(bodyOf(), { headers: { 'Content-Type': 'text/event-stream' } }));
  const { texts, reply } = ask();
  await advance(20_000 * (pieces.length + 1));
  expect(await settle(reply)).toEqual({ status: 'complete' });
  expect(texts).toEqual(FIRST);
});

test.each([
  ['no connection', () => undefined],
  ['a stream without text', () => streamOf([bytesOf('data: {"type":"start"}\n\n')])],
  ['a login page', loginPage],
  ['a proxy error', () => new Response('<html>Bad gateway</html>', { status: 502 })],
])('%s: after three attempts, the outcome is "unreachable"', async (_what, response) => {
  respond(response);
  const { texts, reply } = ask();
  expect(await settle(reply)).toEqual({ status: 'unreachable' });
  expect(requests).toHaveLength(3);
  expect(texts).toEqual([]);
});

test.each([
  [502, {}],
  [503, { 'Retry-After': '1' }],
  [504, {}],
  [429, { 'Retry-After': '2' }],
])('%i with the headers %o is retried', async (status, headers) => {
  respond(() => apiError(status, 'service_unavailable', headers as Record<string, string>), await replyTo(FIRST));
  const { texts, reply } = ask();
  expect(await settle(reply)).toEqual({ status: 'complete' });
  expect(texts).toEqual(FIRST);
  expect(requests).toHaveLength(2);
});

test('429 with a long Retry-After is not retried, and the outcome contains the delay', async () => {
  respond(() => apiError(429, 'rate_limited', { 'Retry-After': '300' }));
  const rejected = { status: 'rejected', code: 'rate_limited', message: 'A message.', retryAfterMs: 300_000 };
  expect(await settle(ask().reply)).toEqual(rejected);
  expect(requests).toHaveLength(1);
});

test('if the service responds three times with 502 and an error without a code, the outcome is "rejected"', async () => {
  respond(() => json(502, { error: { message: 'The model failed.' } }));
  const rejected = { status: 'rejected', code: 'service_unavailable', message: 'The model failed.', retryAfterMs: 0 };
  expect(await settle(ask().reply)).toEqual(rejected);
  expect(requests).toHaveLength(3);
});

test.each([
  [400, 'bad_request'],
  [404, 'not_found'],
  [500, 'internal_error'],
])('if the service responds with %i %s, the outcome is "rejected", without a retry', async (status, code) => {
  respond(() => apiError(status, code));
  expect(await settle(ask().reply)).toEqual({ status: 'rejected', code, message: 'A message.', retryAfterMs: 0 });
  expect(requests).toHaveLength(1);
});

test('an abort during the text ends the request, and keeps what was shown', async () => {
  const beginning = bytesOf((await encode(FIRST)).split('data: {"type":"text-end"')[0] ?? '');
  respond(() => streamOf([beginning], 'hangs'));
  const controller = new AbortController();
  const { texts, reply } = ask(controller.signal);
  await advance(100);
  controller.abort();
  expect(await settle(reply)).toEqual({ status: 'aborted' });
  expect(texts).toEqual(FIRST);
  expect(requests[0]?.init.signal?.aborted).toBe(true);
});

test('after an abort in onText, onText is not called with the rest of the chunk', async () => {
  respond(await replyTo(['A battery ', 'stores ', 'energy.']));
  const controller = new AbortController();
  const texts: string[] = [];
  const onText = (text: string) => {
    texts.push(text);
    if (texts.length === 2) controller.abort();
  };
  const reply = streamReply(createFunnelStub(), { prompt: 'A prompt', signal: controller.signal, onText });
  expect(await settle(reply)).toEqual({ status: 'aborted' });
  expect(texts).toEqual(FIRST);
  expect(requests).toHaveLength(1);
});

test('an abort between two attempts ends the wait, and no second request is sent', async () => {
  respond(() => undefined);
  const controller = new AbortController();
  const { reply } = ask(controller.signal);
  await advance(10);
  controller.abort();
  await advance(0);
  expect(await reply).toEqual({ status: 'aborted' });
  expect(requests).toHaveLength(1);
});

test('if onText throws, the reply is rejected with the error, and the request ends without a retry', async () => {
  respond(await replyTo(FIRST));
  const fails = streamReply(createFunnelStub(), {
    prompt: 'A prompt',
    onText: () => {
      throw new Error('The page failed.');
    },
  });
  await expect(settle(fails)).rejects.toThrow('The page failed.');
  expect(requests).toHaveLength(1);
  expect(requests[0]?.init.signal?.aborted).toBe(true);
});

test('after a complete reply, no timer is left', async () => {
  respond(await replyTo(FIRST));
  await settle(ask().reply);
  expect(vi.getTimerCount()).toBe(0);
});
