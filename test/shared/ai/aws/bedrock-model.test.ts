import { expect, test } from 'vitest';
import { aRequest, bedrock, readModelResponse, useTextModelServer } from '../../../support/text-models.ts';

const server = useTextModelServer();
const MODEL = 'eu.anthropic.model-v1:0';

test('the Bedrock adapter sends a signed ConverseStream request with system prompt, user message and token limit', async () => {
  server().answer({ deltas: ['Yes.'] });
  await readModelResponse(bedrock(MODEL));
  expect(server().calls).toMatchObject([
    {
      path: `/model/${encodeURIComponent(MODEL)}/converse-stream`,
      headers: { authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=test\/.*\/bedrock\/aws4_request/) },
      body: {
        system: [{ text: 'You sell roofs.' }],
        messages: [{ role: 'user', content: [{ text: 'A secret question?' }] }],
        inferenceConfig: { maxTokens: 400 },
      },
    },
  ]);
});

test('the Bedrock adapter accepts an ARN as the model', async () => {
  server().answer({ deltas: ['Yes.'] });
  const arn = 'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.model-v1:0';
  await readModelResponse(bedrock(MODEL), aRequest({ modelId: arn }));
  expect(server().calls[0]?.path).toBe(`/model/${encodeURIComponent(arn)}/converse-stream`);
});

test.each([
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['malformed_tool_use', 'other'],
])('the Bedrock adapter maps the stop reason %s to %s', async (finish, finishReason) => {
  server().answer({ deltas: ['So'], finish });
  expect((await readModelResponse(bedrock(MODEL))).parts[1]).toEqual({ finish: finishReason });
});

test('429: the Bedrock adapter retries the request, and returns the response to the retry', async () => {
  let attempt = 0;
  server().answer(() => (attempt++ === 0 ? { status: 429, said: '{"message":"Too many"}' } : { deltas: ['Yes.'] }));
  expect((await readModelResponse(bedrock(MODEL))).text).toBe('Yes.');
  expect(server().calls).toHaveLength(2);
});

test.each([408, 424])(
  '%i: the error of the Bedrock adapter is billable, because the model may have processed the request',
  async (status) => {
    server().answer({ status, said: '{"message":"A secret question?"}' });
    const { failure } = await readModelResponse(bedrock(MODEL));
    expect(failure).toMatchObject({ name: 'ModelError', billable: true });
    expect(failure?.message).not.toContain('secret');
  },
);
