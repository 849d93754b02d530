import { createConfiguredModel } from '../../ai/configured-model.ts';
import type { OrganizationRepository } from '../../organizations/organization.ts';
import { onceAsync } from '../../platform/once.ts';
import type { RateLimiter } from '../../platform/rate-limiter.ts';
import type { SecretStore } from '../../platform/secret-store.ts';
import type { Judge } from './judgement.ts';

type Ports = { secrets: SecretStore; limiter: RateLimiter; organizations: Pick<OrganizationRepository, 'find'> };

/** The judge of this deployment: its own model, if there is one; a function starts without it, and does without where there is none. */
export function configuredJudge({ secrets, limiter, organizations }: Ports): Judge {
  const model = createConfiguredModel(secrets);
  const judge = onceAsync(async () => {
    const { modelJudge } = await import('./model-judge.ts');
    return modelJudge({ model, limiter, organizations });
  });
  return async (asked) => (model.kind === 'builtin' ? undefined : (await judge())(asked));
}
