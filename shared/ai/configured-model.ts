import { createHttp1RequestHandler } from '../platform/aws/dynamo-client.ts';
import { onceAsync } from '../platform/once.ts';
import type { SecretStore } from '../platform/secret-store.ts';
import { readSetting, requireSetting } from '../platform/settings.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import type { LanguageModel } from './language-model.ts';

/** Value of the secret while no API key is configured. */
export const API_KEY_UNSET = 'none';

const CONNECTION_MS = 2_000;

/** Model name for servers that serve a single model and accept any name. */
const ANY_MODEL = 'default';

/**
 * The model of this deployment, created on first use from the settings `aiProvider` and `aiModels`. A request can name
 * one of `aiModels`. In all other cases, the first of `aiModels` is used. Only the operator decides for which models
 * the service pays.
 */
export function createConfiguredModel(secrets: SecretStore): LanguageModel {
  const provider = () => readSetting('aiProvider') ?? 'builtin';
  const getModel = onceAsync(() => make(provider(), secrets));
  return {
    get kind() {
      return provider() === 'builtin' ? 'builtin' : 'model';
    },
    async *stream(request) {
      const modelId = modelIds().find((known) => known === request.modelId);
      yield* (await getModel()).stream({ ...request, modelId });
    },
  };
}

const modelIds = (): string[] => (readSetting('aiModels') ?? '').split(',').flatMap((name) => name.trim() || []);

/** Loads only the configured provider, to keep cold starts short (ADR 0017). */
async function make(provider: string, secrets: SecretStore): Promise<LanguageModel> {
  const [modelId = ANY_MODEL] = modelIds();
  if (provider === 'bedrock') {
    const { createBedrockModel } = await import('./aws/bedrock-model.ts');
    return createBedrockModel(modelId, createHttp1RequestHandler({ connectionTimeout: CONNECTION_MS }));
  }
  if (provider !== 'openai') return (await import('./extractive/extractive-model.ts')).createExtractiveModel();
  const { createOpenAiModel } = await import('./openai/openai-model.ts');
  const apiKey = async () => {
    const key = await readSecretOrUnavailable(() => secrets.read(requireSetting('aiSecretId')));
    return key === API_KEY_UNSET ? undefined : key;
  };
  return createOpenAiModel({ baseUrl: requireSetting('aiBaseUrl'), modelId, apiKey });
}
