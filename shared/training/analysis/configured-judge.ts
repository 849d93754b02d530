import { configuredModel } from '../../ai/configured-model.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { OrganizationRepository } from '../../organizations/organization.ts';
import { onceResolved } from '../../platform/once.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Judge } from './judgement.ts';

type Ports = { secrets: Secrets; limiter: Limiter; organizations: Pick<OrganizationRepository, 'find'> };

/** The judge of this deployment: its own model, if there is one; a function starts without it, and does without where there is none. */
export function configuredJudge({ secrets, limiter, organizations }: Ports): Judge {
  const model = configuredModel(secrets);
  const judge = onceResolved(async () => {
    const { modelJudge } = await import('./model-judge.ts');
    return modelJudge({ model, limiter, organizations });
  });
  return async (asked) => (model.writer === 'builtin' ? undefined : (await judge())(asked));
}
