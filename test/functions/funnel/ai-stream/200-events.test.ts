import { parseJsonEventStream, uiMessageChunkSchema } from 'ai';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { expect, test } from 'vitest';
import { ModelError } from '../../../../shared/ai/language-model.ts';
import { aModel, says, setUpAiStream } from '../../../support/ai-stream.ts';

const EVENTS = { accept: 'text/event-stream' };

test("200: the response is the AI SDK's UI message stream, part by part", async () => {
  const { post } = setUpAiStream();
  const response = await post('Why?', EVENTS);
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'x-vercel-ai-ui-message-stream': 'v1',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  });
  expect(await eventsIn(response.text)).toEqual([
    { type: 'start', messageId: response.headers['x-request-id'], messageMetadata: { writer: 'model' } },
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: 'Hello' },
    { type: 'text-delta', id: 'text', delta: ' there' },
    { type: 'text-end', id: 'text' },
    { type: 'finish', finishReason: 'stop' },
    '[DONE]',
  ]);
});

test('200: each part conforms to the AI SDK’s schema; the first write to the response already contains a delta', async () => {
  const { post } = setUpAiStream();
  const response = await post('Why?', EVENTS);
  expect(response.status).toBe(200);
  const stream = parseJsonEventStream({ stream: new Blob([response.text]).stream(), schema: uiMessageChunkSchema });
  let parts = 0;
  for await (const part of stream) {
    expect(part).toMatchObject({ success: true });
    parts++;
  }
  expect(parts).toBe(6);
  expect(response.chunks[0]?.text).toContain('"delta":"Hello"');
});

test.each([
  ['length', 'length'],
  ['content-filter', 'content-filter'],
  ['other', 'other'],
] as const)('200: the part `finish` of the stream contains the finish reason %s of the model', async (finish, said) => {
  const { post } = setUpAiStream({ model: aModel([{ text: 'So' }, { finish }]).model });
  const { status, text } = await post('Why?', EVENTS);
  expect(status).toBe(200);
  expect((await eventsIn(text)).at(-2)).toEqual({ type: 'finish', finishReason: said });
});

test('200: a failure after the first token is reported as an error part without internal details, and the stream ends', async () => {
  const { model } = aModel(async function* () {
    yield { text: 'So' };
    throw new ModelError('secret-host answered 500', { billable: true });
  });
  const { post } = setUpAiStream({ model });
  const response = await post('Why?', EVENTS);
  expect(response).toMatchObject({ status: 200, broken: undefined });
  expect((await eventsIn(response.text)).slice(-3)).toEqual([
    { type: 'text-delta', id: 'text', delta: 'So' },
    { type: 'error', errorText: expect.stringMatching(/model failed/) },
    '[DONE]',
  ]);
  expect(response.text).not.toContain('secret-host');
  expect(response.text).not.toContain('finish');
});

test('200: a text with line ends and lines such as `data: {}` arrives unchanged, as one delta', async () => {
  const text = 'a\n\ndata: {"type":"finish"}\r\nevent: x\u2028\u0085';
  const { post } = setUpAiStream({ model: aModel(says(text)).model });
  const response = await post('Why?', EVENTS);
  expect(response.status).toBe(200);
  const [, , delta] = await eventsIn(response.text);
  expect(delta).toEqual({ type: 'text-delta', id: 'text', delta: text });
});

/** Parses the events as `EventSource` does. */
async function eventsIn(text: string): Promise<unknown[]> {
  const events: unknown[] = [];
  const stream = new Blob([text])
    .stream()
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream({ onError: 'terminate' }));
  for await (const { data } of stream) events.push(data === '[DONE]' ? data : JSON.parse(data));
  return events;
}
