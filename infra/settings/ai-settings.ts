import { Annotations, type Stack } from 'aws-cdk-lib';
import { completionsUrl } from '../../shared/ai/openai/openai-endpoint.ts';
import type { Settings } from './settings.ts';

/** The text model of a deployment. */
export type AiSettings = {
  provider: 'bedrock' | 'openai' | 'builtin';
  /** Model ids at the provider, the default first; for Bedrock model ids, inference profiles or ARNs. */
  models: readonly string[];
  /** URL of the OpenAI-compatible endpoint. */
  baseUrl?: string;
};

/** The inline policies of a role may have 10,240 characters in total. */
const MODELS_MAX = 40;

const MODEL = /^[A-Za-z0-9][\w.:/@+-]{0,255}$/;
const ARN =
  /^arn:[\w-]+:bedrock:[\w-]*:\d*:(?:foundation-model|inference-profile|application-inference-profile)\/[\w.:-]+$/;
/** Prefix of cross-region inference profiles: `eu.`, `global.` … */
const PROFILE = /^(?:arn:.*:inference-profile\/)?([a-z]{2}(?:-gov)?|apac|global)\.([a-z][\w-]*\..+)$/;
const REGION_OF_ARN = /^arn:[\w-]+:bedrock:([\w-]*):/;

/**
 * Reads the text model from CDK context: `aiModels` alone means Amazon Bedrock, `aiModels` with `aiBaseUrl` an
 * OpenAI-compatible endpoint, and neither the built-in writer.
 *
 * @param region region of the deployment
 * @throws Error with a message for the operator
 */
export function parseAiSettings(context: Settings, region?: string): AiSettings {
  const baseUrl = context('aiBaseUrl');
  const models = String(context('aiModels') ?? '')
    .split(',')
    .map((model) => model.trim())
    .filter((model) => model !== '');
  if (models.length > MODELS_MAX) throw new Error(`aiModels: at most ${MODELS_MAX}; each is a line of a policy.`);
  const odd = models.find((model) => !MODEL.test(model));
  if (odd !== undefined) throw new Error(`aiModels: ${odd} is not the id of a model.`);
  if (baseUrl === undefined) return models.length === 0 ? { provider: 'builtin', models } : bedrock(models, region);
  if (models.length === 0) throw new Error('aiBaseUrl needs aiModels: the name of the model at that endpoint.');
  if (!isHttps(String(baseUrl))) throw new Error('aiBaseUrl: must be https and hold no password.');
  return { provider: 'openai', models, baseUrl: String(baseUrl) };
}

/** Rejects http also for localhost: a function has no service on its own host. */
function isHttps(baseUrl: string): boolean {
  try {
    return completionsUrl(baseUrl).protocol === 'https:';
  } catch {
    return false;
  }
}

function bedrock(models: readonly string[], region: string | undefined): AiSettings {
  const odd = models.find((model) => model.startsWith('arn:') && !ARN.test(model));
  if (odd !== undefined) throw new Error(`aiModels: ${odd} is not the ARN of a model or an inference profile.`);
  for (const model of models) requireGrants(model, models, region);
  return { provider: 'bedrock', models };
}

/**
 * Calling an inference profile requires permission for its model in the region of the call and in every region that the
 * profile routes to. A global profile requires permission for the model without a region instead of the latter (Amazon
 * Bedrock User Guide, geographic and global cross-Region inference). The regions of a geographic profile are not known
 * here.
 */
function requireGrants(model: string, models: readonly string[], deployedTo: string | undefined): void {
  if (/:application-inference-profile\//.test(model) && !models.some((other) => other.includes(':foundation-model/'))) {
    throw new Error(
      `aiModels: ${model} is an inference profile; name after it the ARNs of its models. ${listedBy(model)}`,
    );
  }
  const [, spread, profiled] = PROFILE.exec(model) ?? [];
  if (profiled === undefined) return;
  const source = deployedTo ?? REGION_OF_ARN.exec(model)?.[1];
  const named = models.filter((other) => other.endsWith(`:foundation-model/${profiled}`)).map(regionOf);
  const example = (region: string) => `arn:aws:bedrock:${region}::foundation-model/${profiled}`;
  const missing = [
    ...(named.some((region) => region !== '' && (source === undefined || region === source))
      ? []
      : [example(source ?? 'REGION')]),
    ...(spread === 'global' && !named.includes('') ? [example('')] : []),
    ...(spread !== 'global' && new Set(named.filter((region) => region !== '')).size < 2
      ? ['those of the other regions that it calls']
      : []),
  ];
  if (missing.length === 0) return;
  throw new Error(
    `aiModels: ${model} is an inference profile; name after it the ARN of ${profiled} in each region that it calls. ` +
      `Missing: ${missing.join(' and ')}. ${listedBy(model)}`,
  );
}

const regionOf = (arn: string): string => REGION_OF_ARN.exec(arn)?.[1] ?? '';

const listedBy = (profile: string): string =>
  `To list them: aws bedrock get-inference-profile --inference-profile-identifier ${profile} --query 'models[].modelArn'`;

/** The exact ARNs of the models that functions may call. */
export function modelArns(stack: Stack, { provider, models }: AiSettings): string[] {
  if (provider !== 'bedrock') return [];
  const { partition, region, account } = stack;
  return models.map((model) => {
    if (model.startsWith('arn:')) return model;
    if (PROFILE.test(model)) return `arn:${partition}:bedrock:${region}:${account}:inference-profile/${model}`;
    return `arn:${partition}:bedrock:${region}::foundation-model/${model}`;
  });
}

/** Warns the operator, so that they do not learn from a visitor that responses come from no model. */
export function warnAboutTextModel(stack: Stack, { provider }: AiSettings): void {
  if (provider !== 'builtin') return;
  Annotations.of(stack).addWarningV2(
    'tributary:no-model',
    'No model is configured. The built-in writer responds to prompts, labelled as such. ' +
      'Set a model with -c aiModels=… (Amazon Bedrock), or with -c aiBaseUrl=… and -c aiModels=… (an OpenAI-compatible endpoint).',
  );
}
