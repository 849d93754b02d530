import { configuredModel } from '../../ai/configured-model.ts';
import type { Organizations } from '../../directory/organization.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Judge } from './judgement.ts';
import { modelJudge } from './model-judge.ts';

type Ports = { secrets: Secrets; limiter: Limiter; organizations: Pick<Organizations, 'find'> };

/** The judge of this deployment: its own model, if there is one. */
export const configuredJudge = ({ secrets, limiter, organizations }: Ports): Judge =>
  modelJudge({ model: configuredModel(secrets), limiter, organizations });
