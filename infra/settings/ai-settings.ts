import { Annotations, type Stack } from 'aws-cdk-lib';
import { completionsUrl } from '../../shared/ai/openai/openai-endpoint.ts';
import type { Settings } from './settings.ts';

/** The text model of a deployment. */
export type AiSettings = {
  provider: 'bedrock' | 'openai' | 'builtin';
  /** Model ids at the provider, the default first. For Bedrock: ids or ARNs of models and inference profiles. */
  models: readonly string[];
  /** URL of the OpenAI-compatible endpoint. Set only for the provider `openai`. */
  baseUrl?: string;
};

/**
 * Maximum number of models. Each model is listed in an inline policy, and the inline policies of a role may have 10,240
 * characters in total (IAM).
 */
const MODELS_MAX = 40;

const MODEL = /^[A-Za-z0-9][\w.:/@+-]{0,255}$/;
const ARN =
  /^arn:[\w-]+:bedrock:[\w-]*:\d*:(?:foundation-model|inference-profile|application-inference-profile)\/[\w.:-]+$/;
/** Prefix of cross-region inference profiles: `eu.`, `global.` … */
const PROFILE = /^(?:arn:.*:inference-profile\/)?([a-z]{2}(?:-gov)?|apac|global)\.([a-z][\w-]*\..+)$/;

/** Whether a model of Bedrock is an inference profile, which routes to models in other regions. */
export const isInferenceProfile = (model: string): boolean =>
  PROFILE.test(model) || /:(?:application-)?inference-profile\//.test(model);

const REGION_OF_ARN = /^arn:[\w-]+:bedrock:([\w-]*):/;

/**
 * Reads the text model from CDK context. `aiModels` alone selects Amazon Bedrock. `aiModels` with `aiBaseUrl` selects
 * an OpenAI-compatible endpoint. If neither is set, the built-in writer is used.
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
  if (models.length > MODELS_MAX)
    throw new Error(`aiModels: lists ${models.length} models, but at most ${MODELS_MAX} fit into a policy.`);
  const odd = models.find((model) => !MODEL.test(model));
  if (odd !== undefined)
    throw new Error(
      `aiModels: ${odd} is not a valid model id. A model id begins with a letter or digit, has at most 256 characters, ` +
        'and contains only letters, digits and _ . : / @ + -.',
    );
  if (baseUrl === undefined) return models.length === 0 ? { provider: 'builtin', models } : bedrock(models, region);
  if (models.length === 0) throw new Error('aiBaseUrl needs aiModels, the names of the models at that endpoint.');
  if (!isHttps(String(baseUrl))) throw new Error('aiBaseUrl: must be an https URL without credentials.');
  return { provider: 'openai', models, baseUrl: String(baseUrl) };
}

/**
 * Whether the URL is valid and uses https. Unlike `completionsUrl`, rejects http for localhost, because a Lambda
 * function has no service on its host.
 */
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
 * Requires that `aiModels` also lists the model of an inference profile, because functions need permission for both.
 * For an application profile, the ARN of any model is accepted. For other profiles, the model must be listed in the
 * region of the deployment. For a geographic profile, it must also be listed in a second region; the other regions of
 * the profile are not known here. For a global profile, it must also be listed without a region (Amazon Bedrock User
 * Guide, geographic and global cross-Region inference).
 */
function requireGrants(model: string, models: readonly string[], deployedTo: string | undefined): void {
  if (/:application-inference-profile\//.test(model) && !models.some((other) => other.includes(':foundation-model/'))) {
    throw new Error(
      `aiModels: ${model} is an inference profile. ` +
        `In aiModels, after the profile, add the ARNs of its models. ${listedBy(model)}`,
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
      ? ['the ARNs in the other regions to which the profile routes']
      : []),
  ];
  if (missing.length === 0) return;
  throw new Error(
    `aiModels: ${model} is an inference profile. ` +
      `In aiModels, after the profile, add the ARN of ${profiled} in each region to which the profile routes. ` +
      `Missing: ${missing.join(' and ')}. ${listedBy(model)}`,
  );
}

const regionOf = (arn: string): string => REGION_OF_ARN.exec(arn)?.[1] ?? '';

const listedBy = (profile: string): string =>
  `To list the ARNs: aws bedrock get-inference-profile --inference-profile-identifier ${profile} --query 'models[].modelArn'`;

/** ARNs of the models and inference profiles that functions may call. Empty if the provider is not Bedrock. */
export function modelArns(stack: Stack, { provider, models }: AiSettings): string[] {
  if (provider !== 'bedrock') return [];
  const { partition, region, account } = stack;
  return models.map((model) => {
    if (model.startsWith('arn:')) return model;
    if (PROFILE.test(model)) return `arn:${partition}:bedrock:${region}:${account}:inference-profile/${model}`;
    return `arn:${partition}:bedrock:${region}::foundation-model/${model}`;
  });
}

export function warnAboutTextModel(stack: Stack, { provider }: AiSettings): void {
  if (provider !== 'builtin') return;
  Annotations.of(stack).addWarningV2(
    'tributary:no-model',
    'No model is configured. The built-in writer responds to prompts. ' +
      'Set a model with -c aiModels=… (Amazon Bedrock), ' +
      'or with -c aiBaseUrl=… and -c aiModels=… (an OpenAI-compatible endpoint).',
  );
}
