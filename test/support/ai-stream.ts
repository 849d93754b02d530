import { randomUUID } from 'node:crypto';
import { aiStreamOperation } from '../../functions/funnel/ai-stream/operation.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../../shared/ai/language-model.ts';
import { MODEL_TIMEOUTS, type ModelTimeouts } from '../../shared/ai/model-timeouts.ts';
import { funnelTokenPolicy } from '../../shared/ai/token-budget.ts';
import { AiBlock, Funnel, FunnelVersion } from '../../shared/funnels/funnel.ts';
import { createClientPseudonymizer } from '../../shared/limits/client-pseudonym.ts';
import { createClientRateLimiter } from '../../shared/limits/client-rate-limiter.ts';
import { Organization } from '../../shared/organizations/organization.ts';
import { createJsonLogger } from '../../shared/platform/logger.ts';
import type { RateLimiter } from '../../shared/platform/rate-limiter.ts';
import { NOON } from './leads/lead-repository.ts';
import { memoryLimiter } from './memory-limiter.ts';
import { streamCaller } from './stream-caller.ts';

// A streaming handler uses Lambda's globals when it is loaded, so the globals must be installed before the import.
const { createHandler } = await import('../../functions/funnel/ai-stream/handler.ts');

/** A model that returns the given parts and records its requests. */
export function aModel(parts: readonly ModelPart[] | ((request: ModelRequest) => AsyncIterable<ModelPart>)) {
  const requests: ModelRequest[] = [];
  const model: LanguageModel = {
    kind: 'model',
    async *stream(request) {
      requests.push(request);
      yield* typeof parts === 'function' ? parts(request) : parts;
    },
  };
  return { model, requests };
}

export const says = (...deltas: string[]): ModelPart[] => [
  ...deltas.map((text) => ({ text })),
  { finish: 'stop' },
  { usage: { inputTokens: 20, outputTokens: deltas.length } },
];

type World = {
  model?: LanguageModel;
  /** Null: the published version has no AI block. */
  block?: Partial<AiBlock> | null;
  funnel?: Partial<Funnel>;
  organization?: Partial<Organization>;
  limiter?: RateLimiter;
  pace?: Partial<ModelTimeouts>;
};

/** Sets up the operation and a published funnel with an AI block, all in memory. */
export function setUpAiStream({ model, block, funnel: said = {}, organization = {}, limiter, pace }: World = {}) {
  const versionId = randomUUID();
  const funnel = Funnel.parse({ id: randomUUID(), orgId: randomUUID(), publishedVersionId: versionId, ...said });
  const owner = Organization.parse({ id: funnel.orgId, name: 'Northlight', ...organization });
  const ai =
    block === null ? undefined : AiBlock.parse({ id: randomUUID(), systemPrompt: 'You sell roofs.', ...block });
  const version = FunnelVersion.parse({ id: versionId, funnelId: funnel.id, fields: [], ...(ai && { ai }) });
  const clock = { ms: NOON, now: () => clock.ms };
  const limits = memoryLimiter();
  const played = aModel(says('Hello', ' there'));
  const pseudonymizer = createClientPseudonymizer({
    secrets: { read: async () => 'a secret of the tests' },
    secretIds: () => ({ hash: 'hashes', cdn: 'cdn' }),
    clock,
  });
  const handler = createHandler({
    clientRateLimiter: createClientRateLimiter({ rateLimiter: limits.limiter, pseudonymizer }),
    pseudonymizer,
    funnels: {
      find: async (id) => (id === funnel.id ? funnel : undefined),
      findVersion: async (of, id = versionId) => (of.id === funnel.id && id === versionId ? version : undefined),
    },
    organizations: { find: async (id) => (id === owner.id ? owner : undefined) },
    limiter: limiter ?? limits.limiter,
    model: model ?? played.model,
    timeouts: { ...MODEL_TIMEOUTS, ...pace },
    clock,
  });
  const call = streamCaller(aiStreamOperation, handler);
  return {
    funnel,
    clock,
    requests: played.requests,
    call,
    post: (prompt: unknown, headers: Record<string, string> = {}, options: Parameters<typeof call>[1] = {}) =>
      call({ path: { id: funnel.id }, body: { prompt }, headers }, options),
    /** Tokens that the funnel and the organization have used today. */
    used: () => [limits.taken('ai-tokens-funnel'), limits.taken('ai-tokens-organization')],
    /** Tokens that all client addresses together have used today. */
    takenByAddresses: () => limits.taken('ai-tokens-address'),
    /** Simulates other visitors who use this many of the funnel's tokens. */
    useTokens: (tokens: number) =>
      limits.limiter.consume(
        funnelTokenPolicy(funnel.id, ai?.dailyTokens ?? funnel.limits.aiTokensPerDay),
        createJsonLogger({ operation: 'test' }, () => undefined),
        tokens,
      ),
    limits,
  };
}
