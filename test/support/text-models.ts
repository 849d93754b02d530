import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createBedrockModel } from '../../shared/ai/aws/bedrock-model.ts';
import type { LanguageModel, ModelError, ModelPart, ModelRequest } from '../../shared/ai/language-model.ts';
import { createHttp1RequestHandler } from '../../shared/platform/aws/dynamo-client.ts';
import { startTextModelServer } from './text-model-server.ts';

type Server = Awaited<ReturnType<typeof startTextModelServer>>;

/** Starts a model server for the tests of a file. Each test begins with an empty list of requests. */
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
    if (server === undefined) throw new Error('The model server is available only while tests run.');
    return server;
  };
}

/** A Bedrock model with a separate client, which reads the current environment. */
export const bedrock = (model: string): LanguageModel =>
  createBedrockModel(model, createHttp1RequestHandler({ connectionTimeout: 1_000 }));

export const aRequest = (overrides: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You sell roofs.',
  prompt: 'A secret question?',
  sourceTexts: [],
  outputTokensMax: 400,
  modelId: undefined,
  signal: new AbortController().signal,
  ...overrides,
});

/** Reads all parts of a model's response, and the error that ended it. */
export async function readModelResponse(model: LanguageModel, request: ModelRequest = aRequest()) {
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
