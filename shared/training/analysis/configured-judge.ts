import { createConfiguredModel } from '../../ai/configured-model.ts';
import type { OrganizationRepository } from '../../organizations/ports.ts';
import { onceAsync } from '../../platform/once.ts';
import type { RateLimiter } from '../../platform/rate-limiter.ts';
import type { SecretStore } from '../../platform/secret-store.ts';
import type { LlmJudge } from './llm-verdict.ts';

type Ports = { secrets: SecretStore; limiter: RateLimiter; organizations: Pick<OrganizationRepository, 'find'> };

/** Creates the judge of this deployment, which returns undefined where no language model is configured. */
export function configuredJudge({ secrets, limiter, organizations }: Ports): LlmJudge {
  const model = createConfiguredModel(secrets);
  const judge = onceAsync(async () => {
    const { createLlmJudge } = await import('./llm-judge.ts');
    return createLlmJudge({ model, limiter, organizations });
  });
  return async (input) => (model.kind === 'builtin' ? undefined : (await judge())(input));
}
