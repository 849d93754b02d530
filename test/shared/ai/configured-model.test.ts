import { expect, test, vi } from 'vitest';
import { createConfiguredModel } from '../../../shared/ai/configured-model.ts';
import { aRequest, readModelResponse, useTextModelServer } from '../../support/text-models.ts';

const server = useTextModelServer();
const secrets = (key: string) => ({ read: async () => key });

const configure = (settings: Record<string, string>) => {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
};
const openai = () =>
  configure({ AI_PROVIDER: 'openai', AI_BASE_URL: server().baseUrl, AI_MODELS: 'small, large,', AI_SECRET_ID: 'ai' });

test('without a configured provider, the built-in writer responds and identifies itself', async () => {
  const model = createConfiguredModel(secrets('none'));
  expect(model.kind).toBe('builtin');
  expect((await readModelResponse(model, aRequest({ outputTokensMax: 3 }))).text).toContain('[Put together');
});

test('a request uses the model that it names; if that model is not configured, it uses the first configured model', async () => {
  openai();
  const model = createConfiguredModel(secrets('sk-test'));
  expect(model.kind).toBe('model');
  for (const name of [undefined, 'large', 'largest']) await readModelResponse(model, aRequest({ modelId: name }));
  expect(server().calls.map(({ body }) => body.model)).toEqual(['small', 'large', 'small']);
});

test.each([
  ['sk-test', 'Bearer sk-test'],
  ['none', undefined],
])('with the API key “%s” in the secret, the Authorization header is %s', async (secret, authorization) => {
  openai();
  await readModelResponse(createConfiguredModel(secrets(secret)));
  expect(server().calls[0]?.headers.authorization).toBe(authorization);
});

test('a configured model throws UnavailableError and sends no request if the API key cannot be read', async () => {
  openai();
  const { failure } = await readModelResponse(createConfiguredModel({ read: () => Promise.reject(new Error('down')) }));
  expect(failure).toMatchObject({ name: 'UnavailableError' });
  expect(server().calls).toEqual([]);
});

test('the configured model uses Amazon Bedrock if AI_PROVIDER is “bedrock”', async () => {
  configure({ AI_PROVIDER: 'bedrock', AI_MODELS: 'anthropic.model-v1:0' });
  expect((await readModelResponse(createConfiguredModel(secrets('none')))).text).toBe('Hello there');
  expect(server().calls[0]?.path).toContain('/converse-stream');
});
