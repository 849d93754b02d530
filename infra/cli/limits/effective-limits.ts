import { FUNNEL_TOKENS_PER_DAY, funnelTokenPolicy, organizationTokenPolicy } from '../../../shared/ai/token-budget.ts';
import { DEFAULT_DOMAINS_MAX } from '../../../shared/domains/domain.ts';
import type { AiBlock, Funnel, FunnelLimits } from '../../../shared/funnels/funnel.ts';
import { LEAD_SUBMITS_PER_MINUTE } from '../../../shared/leads/submit-rate-limiter.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import type { RateLimitPolicy } from '../../../shared/platform/rate-limiter.ts';
import { dailySessionLimit } from '../../../shared/training/open-session.ts';
import { dailyUploadQuota } from '../../../shared/uploads/upload-quota.ts';
import {
  dailySmsLimit,
  SENDS_PER_HOUR_AND_DESTINATION,
  SENDS_PER_TEN_MINUTES_AND_LEAD,
} from '../../../shared/verification/send-rate-limits.ts';

type OrganizationLimitName = keyof Organization['limits'];
type FunnelLimitName = keyof FunnelLimits;

/** A limit as it holds. */
export type EffectiveLimit = {
  limit: number;
  /** Whose value it is: the organization's or funnel's own, the service's, or that of the funnel's AI block. */
  whose: 'own' | 'service' | 'ai block';
  /** Of the UTC day that goes on; null for what is not counted by the day, or for each lead or destination by itself. */
  usedToday: number | null;
};

export type LimitName = OrganizationLimitName | FunnelLimitName;

/** Whose limits. */
export type LimitOwner = { kind: 'organization' | 'funnel'; id: string };

/** Own limits, and those that are the service's again; each is one that its owner can have. */
export type LimitChanges = { set: Partial<Record<LimitName, number>>; unset: readonly LimitName[] };

export type LimitAdminRepository = {
  organization(orgId: string): Promise<Organization | undefined>;
  /** With the AI block of its published version. */
  funnel(funnelId: string): Promise<{ funnel: Funnel; aiBlock: AiBlock | undefined } | undefined>;
  /** Writes the limits that change and nothing else. False: there is no such organization or funnel */
  update(owner: LimitOwner, changes: LimitChanges): Promise<boolean>;
};

/** What is taken from a window that goes on. */
export type LimitUsageReader = { used(window: RateLimitPolicy): Promise<number> };

/** Where each limit of an organization is counted. */
const WINDOWS: Record<
  Exclude<OrganizationLimitName, 'domains'>,
  (orgId: string, limits: Organization['limits']) => RateLimitPolicy
> = {
  smsPerDay: dailySmsLimit,
  aiTokensPerDay: organizationTokenPolicy,
  uploadBytesPerDay: dailyUploadQuota,
  sessionsPerDay: dailySessionLimit,
};

/** An organization's limits, and what is used of them today. */
export async function getEffectiveOrganizationLimits(
  usage: LimitUsageReader,
  { id, limits }: Organization,
): Promise<Record<OrganizationLimitName, EffectiveLimit>> {
  const held = async (name: keyof typeof WINDOWS): Promise<EffectiveLimit> => {
    const window = WINDOWS[name](id, limits);
    return { limit: window.limit, whose: whose(limits[name]), usedToday: await usage.used(window) };
  };
  const [smsPerDay, aiTokensPerDay, uploadBytesPerDay, sessionsPerDay] = await Promise.all([
    held('smsPerDay'),
    held('aiTokensPerDay'),
    held('uploadBytesPerDay'),
    held('sessionsPerDay'),
  ]);
  const domains: EffectiveLimit = {
    limit: limits.domains ?? DEFAULT_DOMAINS_MAX,
    ...{ whose: whose(limits.domains), usedToday: null },
  };
  return { smsPerDay, aiTokensPerDay, uploadBytesPerDay, sessionsPerDay, domains };
}

/** A funnel's limits, and what is used today of the one that is counted for the funnel. */
export async function getEffectiveFunnelLimits(
  usage: LimitUsageReader,
  { limits, ...funnel }: Pick<Funnel, 'id' | 'limits'>,
  aiBlock: AiBlock | undefined,
): Promise<Record<FunnelLimitName, EffectiveLimit>> {
  const tokens = funnelTokenPolicy({ ...funnel, limits }, aiBlock);
  const each = (own: number | undefined, service: number): EffectiveLimit => {
    return { limit: own ?? service, whose: whose(own), usedToday: null };
  };
  return {
    aiTokensPerDay: {
      ...each(limits.aiTokensPerDay, FUNNEL_TOKENS_PER_DAY),
      ...(aiBlock?.dailyTokens !== undefined && { whose: 'ai block' as const }),
      ...{ limit: tokens.limit, usedToday: await usage.used(tokens) },
    },
    submitsPerMinuteAndLead: each(limits.submitsPerMinuteAndLead, LEAD_SUBMITS_PER_MINUTE),
    sendsPerTenMinutesAndLead: each(limits.sendsPerTenMinutesAndLead, SENDS_PER_TEN_MINUTES_AND_LEAD),
    sendsPerHourAndDestination: each(limits.sendsPerHourAndDestination, SENDS_PER_HOUR_AND_DESTINATION),
  };
}

const whose = (own: number | undefined) => (own === undefined ? 'service' : 'own');
