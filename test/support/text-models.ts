import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createBedrockModel } from '../../shared/ai/aws/bedrock-model.ts';
import type { LanguageModel, ModelError, ModelPart, ModelRequest } from '../../shared/ai/language-model.ts';
import { createHttp1RequestHandler } from '../../shared/platform/aws/dynamo-client.ts';
import { startTextModelServer } from './text-model-server.ts';

type Server = Awaited<ReturnType<typeof startTextModelServer>>;

/** Gives a file's tests a model server of their own; each test begins with a fresh list of calls. */
export function useTextModelServer(): () => Server {
  let server: Server | undefined;
  beforeAll(async () => {
    server = await startTextModelServer();
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: server.origin,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    });
  });
  beforeEach(() => void server?.calls.splice(0));
  afterAll(() => server?.close());
  return () => {
    if (server === undefined) throw new Error('The model server runs while tests run.');
    return server;
  };
}

/** A model of Bedrock over a client of its own, which reads the environment as it is now. */
export const bedrock = (model: string): LanguageModel =>
  createBedrockModel(model, createHttp1RequestHandler({ connectionTimeout: 1_000 }));

export const aRequest = (said: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You sell roofs.',
  prompt: 'A secret question?',
  sourceTexts: [],
  outputTokensMax: 400,
  model: undefined,
  signal: new AbortController().signal,
  ...said,
});

/** All that a model gives, and the failure that it ends with. */
export async function heard(model: LanguageModel, request: ModelRequest = aRequest()) {
  const parts: ModelPart[] = [];
  let failure: unknown;
  try {
    for await (const part of model.stream(request)) parts.push(part);
  } catch (error) {
    failure = error;
  }
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
  return { parts, text, failure: failure as ModelError | undefined };
}
