import { expect, test } from 'vitest';
import { completionsUrl } from '../../../../shared/ai/openai/openai-endpoint.ts';
import { createOpenAiModel } from '../../../../shared/ai/openai/openai-model.ts';
import { freePort } from '../../../support/free-port.ts';
import { aRequest, readModelResponse, useTextModelServer } from '../../../support/text-models.ts';

const server = useTextModelServer();
const make = (key?: string) => createOpenAiModel({ baseUrl: server().baseUrl, modelId: 'm', apiKey: async () => key });

/** Makes the server send these raw events. */
const sends = (...events: string[]) => {
  const bytes = events.map((event) => Buffer.from(event));
  server().answer({ deltas: [''], usage: null, finish: null, unended: true, cut: () => bytes.splice(0) });
};
const content = (text: string) => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;

test('the OpenAI adapter sends the API key, both messages and the token limit, and requests the usage', async () => {
  server().answer({ deltas: ['Yes.'] });
  await readModelResponse(make('sk-test'), aRequest({ modelId: 'large' }));
  expect(server().calls).toMatchObject([
    {
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-test', 'accept-encoding': 'identity' },
      body: {
        model: 'large',
        messages: [
          { role: 'system', content: 'You sell roofs.' },
          { role: 'user', content: 'A secret question?' },
        ],
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 400,
      },
    },
  ]);
});

test('the OpenAI adapter omits the header Authorization if there is no key, and sends the configured model by default', async () => {
  server().answer({ deltas: ['Yes.'] });
  await readModelResponse(make());
  expect(server().calls[0]?.headers).not.toHaveProperty('authorization');
  expect(server().calls[0]?.body).toMatchObject({ model: 'm' });
});

test('if a server rejects max_tokens or stream_options, the OpenAI adapter does not send the rejected option again', async () => {
  server().answer(({ body }) => {
    if ('max_tokens' in body)
      return refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
    if ('stream_options' in body) return refusal('Extra inputs are not permitted: stream_options');
    return { deltas: ['Yes.'], usage: null };
  });
  const model = make();
  expect((await readModelResponse(model)).text).toBe('Yes.');
  expect(server().calls).toHaveLength(3);
  expect(server().calls[2]?.body).toMatchObject({ max_completion_tokens: 400 });
  expect((await readModelResponse(model)).text).toBe('Yes.');
  expect(server().calls).toHaveLength(4);
});

const refusal = (message: string) => ({ status: 400, said: JSON.stringify({ error: { message } }) });

test('if an error message contains option names only in a quoted visitor text, later requests keep the options', async () => {
  server().answer(({ body }) => refusal(JSON.stringify(body.messages)));
  const model = make();
  await readModelResponse(model, aRequest({ prompt: 'max_completion_tokens and stream_options' }));
  server().answer({ deltas: ['Yes.'] });
  await readModelResponse(model);
  expect(server().calls.at(-1)?.body).toMatchObject({ max_tokens: 400, stream_options: { include_usage: true } });
});

test('if two error responses of 2 MB name max_completion_tokens, the OpenAI adapter fails after one retry', async () => {
  server().answer({ status: 400, said: 'max_completion_tokens '.repeat(100_000) });
  expect((await readModelResponse(make())).failure?.message).toContain('400');
  expect(server().calls).toHaveLength(2);
});

test('the OpenAI adapter accepts a stream with invalid usage, and reports no usage', async () => {
  sends(content('Yes.'), 'data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":-1}}\n\n');
  const { parts, failure } = await readModelResponse(make());
  expect(failure).toBeUndefined();
  expect(parts).toEqual([{ text: 'Yes.' }, { finish: 'stop' }]);
});

test.each([
  ['keep-alive comments', [': ping\n\n', content('a'), ':\n\n', content('b'), 'data: [DONE]\n\n'], 'ab'],
  ['carriage returns', [content('a').replaceAll('\n', '\r\n'), 'data: [DONE]\r\n\r\n'], 'a'],
  ['no space after the colon', ['data:{"choices":[{"delta":{"content":"a"}}]}\n\n', 'data:[DONE]\n\n'], 'a'],
  ['a byte order mark', [`\ufeff${content('a')}`, 'data: [DONE]\n\n'], 'a'],
  ['no empty line at the end', [content('a'), 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}'], 'a'],
  ['no [DONE]', [content('a'), 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'], 'a'],
  ['an event after [DONE], which is ignored', [content('a'), 'data: [DONE]\n\n', content('b')], 'a'],
  [
    'a role, nulls and empty choices',
    [
      'data: {"choices":[{"delta":{"role":"assistant","content":null}}]}\n\n',
      'data: {"choices":[]}\n\n',
      content('a'),
      'data: [DONE]\n\n',
    ],
    'a',
  ],
  [
    'usage in an event with text',
    [
      'data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n',
      'data: [DONE]\n\n',
    ],
    'a',
  ],
  ['a refusal of the model', ['data: {"choices":[{"delta":{"refusal":"No."}}]}\n\n', 'data: [DONE]\n\n'], 'No.'],
])('the OpenAI adapter reads a stream with %s', async (_, events, text) => {
  sends(...events);
  const result = await readModelResponse(make());
  expect(result.failure).toBeUndefined();
  expect(result.text).toBe(text);
});

test('the OpenAI adapter returns the size of the model’s reasoning, but not the text of the reasoning', async () => {
  sends(
    'data: {"choices":[{"delta":{"reasoning_content":"Hm, größer?"}}]}\n\n',
    'data: {"choices":[{"delta":{"reasoning":"So."}}]}\n\n',
    content('Yes.'),
    'data: [DONE]\n\n',
  );
  const { parts } = await readModelResponse(make());
  expect(parts).toEqual([{ reasoningBytes: 13 }, { reasoningBytes: 3 }, { text: 'Yes.' }]);
});

test.each([
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['tool_calls', 'other'],
])('the OpenAI adapter maps the finish reason %s to %s', async (finish, said) => {
  server().answer({ deltas: ['So'], finish });
  expect((await readModelResponse(make())).parts[1]).toEqual({ finish: said });
});

test.each([
  ['an error in the stream', 'data: {"error":{"message":"A secret question?"}}\n\n'],
  ['an error as vLLM writes it', 'data: {"object":"error","message":"A secret question?","code":400}\n\n'],
  ['an event named error', 'event: error\ndata: {"message":"A secret question?"}\n\n'],
  ['data that is not JSON', 'data: <html>\n\n'],
  ['JSON that is not a chunk', 'data: [1]\n\n'],
  ['a response without events', '{"choices":[{"message":{"content":"not a stream"}}]}'],
  ['an event that never ends', `data: ${'x'.repeat(400_000)}`],
])('for %s, the OpenAI adapter throws a billable error that does not quote the response', async (_, event) => {
  sends(event);
  const { failure, parts } = await readModelResponse(make());
  expect(parts).toEqual([]);
  expect(failure).toMatchObject({ name: 'ModelError', billable: true });
  expect(failure?.message).not.toMatch(/secret|html|xxx/);
});

test('the error of the OpenAI adapter for an unreachable server names the server, and is not billable', async () => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const gone = createOpenAiModel({ baseUrl: `${origin}/v1`, modelId: 'm', apiKey: async () => undefined });
  expect((await readModelResponse(gone)).failure).toMatchObject({
    billable: false,
    message: `The request to the model's server ${origin} (setting aiBaseUrl) failed: ECONNREFUSED.`,
  });
});

test('if the API key is not a valid header value, the error of the OpenAI adapter does not contain the key', async () => {
  const { failure } = await readModelResponse(make('sk-te\nst'));
  expect(failure?.message).toContain('failed: ');
  expect(failure?.message).not.toContain('sk-');
  expect(server().calls).toEqual([]);
});

test.each([
  ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1/chat/completions'],
  ['http://localhost:8000/v1/', 'http://localhost:8000/v1/chat/completions'],
  ['http://[::1]:8000', 'http://[::1]:8000/chat/completions'],
  [
    'https://models.example.com/openai/v1?api-version=1',
    'https://models.example.com/openai/v1/chat/completions?api-version=1',
  ],
])('the base URL %s results in the completions URL %s', (base, url) => {
  expect(completionsUrl(base).href).toBe(url);
});

test.each([
  'http://models.example.com/v1',
  'http://127.0.0.1.example.com/v1',
  'http://localhost.example.com/v1',
  'https://user:password@models.example.com/v1',
  'file:///v1',
  'models',
  '',
])('completionsUrl rejects “%s” as a base URL', (base) => {
  expect(() => completionsUrl(base)).toThrow(/must be an https URL/);
});
