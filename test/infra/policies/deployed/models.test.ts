import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { listenLocally } from '../../../../infra/local/common/listen.ts';
import { deployedCallers } from '../../../support/deployed/environment.ts';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';
import { signatureOf, transcription } from '../../../support/training/voice-webhook.ts';

const IDS = ['training/open-session', 'training/voice-webhook', 'background/analyse-call', 'funnel/ai-stream'];

const functions = useDeployedFunctions(...IDS);

/**
 * A model that rejects every request. The tests need no response of a model: they check that requests arrive, and that
 * ai-stream then responds with 502.
 */
const model = createServer((request, response) => {
  requests.push(`${request.headers.host?.split(':')[0]} ${request.url}`);
  response.writeHead(400, { 'content-type': 'application/json' }).end('{}');
});
let modelUrl: string;
let requests: string[];
beforeAll(async () => {
  modelUrl = `http://127.0.0.1:${await listenLocally(model)}`;
});
afterAll(() => void model.close());
beforeEach(() => {
  requests = [];
});

const PROVIDERS: Record<string, (url: string) => Record<string, string>> = {
  bedrock: (AWS_ENDPOINT_URL_BEDROCK_RUNTIME) => ({ AI_PROVIDER: 'bedrock', AWS_ENDPOINT_URL_BEDROCK_RUNTIME }),
  'an OpenAI-compatible endpoint': (AI_BASE_URL) => ({ AI_PROVIDER: 'openai', AI_BASE_URL }),
};

test.each(Object.keys(PROVIDERS))('%s gets requests from ai-stream and analyse-call', async (provider) => {
  Object.assign(process.env, PROVIDERS[provider]?.(modelUrl), { AI_MODELS: 'example.model-v1:0' });
  // A function reads its configuration only when its module is loaded.
  vi.resetModules();
  const callers = await deployedCallers(IDS);
  const { caseId, funnel, organizations, personaIds, tokens, webhook } = functions.demo();
  const prompt = { path: { id: funnel.id }, body: { prompt: 'How long does it take?' } };
  expect((await callers.call('funnel/ai-stream', prompt)).status).toBe(502);
  expect(requests.length).toBeGreaterThan(0);

  requests = [];
  const known = new Set((await functions.world().openedCalls()).map(({ callId }) => callId));
  const headers = functions.bearer(tokens.memberA);
  const opening = { path: { orgId: organizations.a.id }, headers, body: { caseId, personaId: personaIds[0] } };
  await callers.call('training/open-session', opening);
  const call = (await functions.world().openedCalls()).find(({ callId }) => !known.has(callId));
  const event = { ...transcription(call?.conversationId ?? ''), event_timestamp: Math.floor(Date.now() / 1_000) };
  const body = JSON.stringify(event);
  await callers.call('training/voice-webhook', {
    body,
    headers: signatureOf(body, { atMs: Date.now(), secret: webhook.secret }),
  });
  await callers.run('background/analyse-call', { orgId: organizations.a.id, callId: call?.callId });
  expect(requests.length).toBeGreaterThan(0);
});
