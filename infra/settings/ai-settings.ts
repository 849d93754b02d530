import { Annotations, type Stack } from 'aws-cdk-lib';
import { completionsUrl } from '../../shared/ai/openai-endpoint.ts';
import type { Settings } from './settings.ts';

/** Who answers visitors' prompts in a deployment. */
export type AiSettings = {
  provider: 'bedrock' | 'openai' | 'builtin';
  /** Ids at the provider, the default first; for Bedrock model ids, inference profiles or ARNs. */
  models: readonly string[];
  /** Of the OpenAI-compatible endpoint. */
  baseUrl?: string;
};

/** A role's policies may hold 10 240 characters together. */
const MODELS_MAX = 40;

const MODEL = /^[A-Za-z0-9][\w.:/@+-]{0,255}$/;
const ARN =
  /^arn:[\w-]+:bedrock:[\w-]*:\d*:(?:foundation-model|inference-profile|application-inference-profile)\/[\w.:-]+$/;
/** Profiles that spread calls over regions carry where to: `eu.`, `global.` … */
const PROFILE = /^(?:arn:.*:inference-profile\/)?(?:[a-z]{2}(?:-gov)?|apac|global)\.([a-z][\w-]*\..+)$/;

/**
 * Reads from CDK context who answers: `aiModels` alone means Amazon Bedrock, `aiModels` with `aiBaseUrl` an
 * OpenAI-compatible endpoint, neither the built-in writer.
 *
 * @throws Error, a sentence for the operator
 */
export function aiSettingsOf(context: Settings): AiSettings {
  const baseUrl = context('aiBaseUrl');
  const models = String(context('aiModels') ?? '')
    .split(',')
    .map((model) => model.trim())
    .filter((model) => model !== '');
  if (models.length > MODELS_MAX) throw new Error(`aiModels: at most ${MODELS_MAX}; each is a line of a policy.`);
  const odd = models.find((model) => !MODEL.test(model));
  if (odd !== undefined) throw new Error(`aiModels: ${odd} is not the id of a model.`);
  if (baseUrl === undefined) return models.length === 0 ? { provider: 'builtin', models } : bedrock(models);
  if (models.length === 0) throw new Error('aiBaseUrl needs aiModels: the name of the model at that endpoint.');
  if (!isHttps(String(baseUrl))) throw new Error('aiBaseUrl: must be https and hold no password.');
  return { provider: 'openai', models, baseUrl: String(baseUrl) };
}

/** Also not http on this machine: a function has no such neighbour. */
function isHttps(baseUrl: string): boolean {
  try {
    return completionsUrl(baseUrl).protocol === 'https:';
  } catch {
    return false;
  }
}

function bedrock(models: readonly string[]): AiSettings {
  const odd = models.find((model) => model.startsWith('arn:') && !ARN.test(model));
  if (odd !== undefined) throw new Error(`aiModels: ${odd} is not the ARN of a model or an inference profile.`);
  for (const model of models) requireRegions(model, models);
  return { provider: 'bedrock', models };
}

/** A call through a profile is checked against the model in the region it goes to: each must be named, none is guessed. */
function requireRegions(model: string, models: readonly string[]): void {
  const [, spread] = PROFILE.exec(model) ?? [];
  if (spread === undefined || models.some((other) => other.endsWith(`:foundation-model/${spread}`))) return;
  throw new Error(
    `aiModels: ${model} is an inference profile; name after it the ARN of ${spread} in each region that it calls, ` +
      `for example arn:aws:bedrock:eu-central-1::foundation-model/${spread}.`,
  );
}

/** The models that functions may call, exactly. */
export function modelArns(stack: Stack, { provider, models }: AiSettings): string[] {
  if (provider !== 'bedrock') return [];
  const { partition, region, account } = stack;
  return models.map((model) => {
    if (model.startsWith('arn:')) return model;
    if (PROFILE.test(model)) return `arn:${partition}:bedrock:${region}:${account}:inference-profile/${model}`;
    return `arn:${partition}:bedrock:${region}::foundation-model/${model}`;
  });
}

/** Nobody shall learn from a visitor that there is no model behind the answers. */
export function sayWhoWrites(stack: Stack, { provider }: AiSettings): void {
  if (provider !== 'builtin') return;
  Annotations.of(stack).addWarningV2(
    'tributary:no-model',
    'No model is configured: the built-in writer answers prompts, labelled as such. Choose one with -c aiModels=… (Amazon Bedrock) or with -c aiBaseUrl=… and -c aiModels=… (an OpenAI-compatible endpoint).',
  );
}
