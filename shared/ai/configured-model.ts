import { readSecret } from '../http/address-gate.ts';
import { http1Handler } from '../platform/clients.ts';
import { config, optionalConfig } from '../platform/config.ts';
import { onceResolved } from '../platform/once.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { TextModel } from './text-model.ts';

/** What stands in the key's secret until there is a key. */
export const NO_KEY = 'none';

const CONNECTION_MS = 2_000;

/** The model where a server takes any name, as those that serve a single one do. */
const ANY_MODEL = 'default';

/**
 * The model of this deployment, made on first use: `aiProvider` says whose, `aiModels` which, the first by default. A
 * funnel may name another of them, and none besides: what a model costs is the operator's decision.
 */
export function configuredModel(secrets: Secrets): TextModel {
  const provider = () => optionalConfig('aiProvider') ?? 'builtin';
  const made = onceResolved(() => make(provider(), secrets));
  return {
    get writer() {
      return provider() === 'builtin' ? 'builtin' : 'model';
    },
    async *stream(request) {
      const model = models().find((known) => known === request.model);
      yield* (await made()).stream({ ...request, model });
    },
  };
}

const models = (): string[] => (optionalConfig('aiModels') ?? '').split(',').flatMap((name) => name.trim() || []);

/** Only the one that is configured is loaded: a function starts without the others. */
async function make(provider: string, secrets: Secrets): Promise<TextModel> {
  const [model = ANY_MODEL] = models();
  if (provider === 'bedrock') {
    const { bedrockModel } = await import('./bedrock-model.ts');
    return bedrockModel(model, http1Handler({ connectionTimeout: CONNECTION_MS }));
  }
  if (provider !== 'openai') return (await import('./builtin-writer.ts')).builtinWriter();
  const { openaiModel } = await import('./openai-model.ts');
  const apiKey = async () => {
    const key = await readSecret(secrets, config('aiSecretId'));
    return key === NO_KEY ? undefined : key;
  };
  return openaiModel({ baseUrl: config('aiBaseUrl'), model, apiKey });
}
