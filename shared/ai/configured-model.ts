import { createHttp1RequestHandler } from '../platform/aws/dynamo-client.ts';
import { onceAsync } from '../platform/once.ts';
import type { SecretStore } from '../platform/secret-store.ts';
import { readSetting, requireSetting } from '../platform/settings.ts';
import { readSecretOrUnavailable } from '../platform/unavailable.ts';
import type { LanguageModel } from './language-model.ts';

/** What stands in the key's secret until there is a key. */
export const API_KEY_UNSET = 'none';

const CONNECTION_MS = 2_000;

/** The model where a server takes any name, as those that serve a single one do. */
const ANY_MODEL = 'default';

/**
 * The model of this deployment, made on first use: `aiProvider` says whose, `aiModels` which, the first by default. A
 * funnel may name another of them, and none besides: what a model costs is the operator's decision.
 */
export function createConfiguredModel(secrets: SecretStore): LanguageModel {
  const provider = () => readSetting('aiProvider') ?? 'builtin';
  const made = onceAsync(() => make(provider(), secrets));
  return {
    get kind() {
      return provider() === 'builtin' ? 'builtin' : 'model';
    },
    async *stream(request) {
      const model = models().find((known) => known === request.model);
      yield* (await made()).stream({ ...request, model });
    },
  };
}

const models = (): string[] => (readSetting('aiModels') ?? '').split(',').flatMap((name) => name.trim() || []);

/** Only the one that is configured is loaded: a function starts without the others. */
async function make(provider: string, secrets: SecretStore): Promise<LanguageModel> {
  const [model = ANY_MODEL] = models();
  if (provider === 'bedrock') {
    const { createBedrockModel: bedrockModel } = await import('./aws/bedrock-model.ts');
    return bedrockModel(model, createHttp1RequestHandler({ connectionTimeout: CONNECTION_MS }));
  }
  if (provider !== 'openai') return (await import('./extractive/extractive-model.ts')).createExtractiveModel();
  const { createOpenAiModel: openaiModel } = await import('./openai/openai-model.ts');
  const apiKey = async () => {
    const key = await readSecretOrUnavailable(secrets, requireSetting('aiSecretId'));
    return key === API_KEY_UNSET ? undefined : key;
  };
  return openaiModel({ baseUrl: requireSetting('aiBaseUrl'), model, apiKey });
}
