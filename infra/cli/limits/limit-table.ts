import { funnelTokenPolicy, organizationTokenPolicy } from '../../../shared/ai/token-budget.ts';
import { DEFAULT_DOMAINS_MAX } from '../../../shared/domains/domain.ts';
import { LEAD_SUBMITS_PER_MINUTE } from '../../../shared/leads/submit-rate-limiter.ts';
import { dailySessionLimit } from '../../../shared/training/open-session.ts';
import { dailyUploadQuota } from '../../../shared/uploads/upload-quota.ts';
import {
  dailySmsLimit,
  SENDS_PER_HOUR_AND_DESTINATION,
  SENDS_PER_TEN_MINUTES_AND_LEAD,
} from '../../../shared/verification/send-rate-limits.ts';
import type { FunnelLimitTable, OrganizationLimitTable } from './effective-limits.ts';

/** Joins the limits of every domain, in the order in which commands show them. */
export const ORGANIZATION_LIMITS: OrganizationLimitTable = {
  smsPerDay: { windowOf: ({ id, limits }) => dailySmsLimit(id, limits) },
  aiTokensPerDay: { windowOf: ({ id, limits }) => organizationTokenPolicy(id, limits.aiTokensPerDay) },
  uploadBytesPerDay: { windowOf: ({ id, limits }) => dailyUploadQuota(id, limits) },
  sessionsPerDay: { windowOf: ({ id, limits }) => dailySessionLimit(id, limits) },
  domains: { defaultLimit: DEFAULT_DOMAINS_MAX },
};

export const FUNNEL_LIMITS: FunnelLimitTable = {
  aiTokensPerDay: {
    windowOf: ({ funnel, aiBlock }) =>
      funnelTokenPolicy(funnel.id, aiBlock?.dailyTokens ?? funnel.limits.aiTokensPerDay),
  },
  submitsPerMinuteAndLead: { defaultLimit: LEAD_SUBMITS_PER_MINUTE },
  sendsPerTenMinutesAndLead: { defaultLimit: SENDS_PER_TEN_MINUTES_AND_LEAD },
  sendsPerHourAndDestination: { defaultLimit: SENDS_PER_HOUR_AND_DESTINATION },
};
