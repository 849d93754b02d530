import { funnelTokenPolicy, organizationTokenPolicy } from '../../../shared/ai/token-budget.ts';
import { DEFAULT_DOMAINS_MAX } from '../../../shared/domains/domain.ts';
import { funnelKey, versionKey } from '../../../shared/funnels/aws/keys.ts';
import { type AiBlock, Funnel, type FunnelLimits, FunnelVersion } from '../../../shared/funnels/funnel.ts';
import { LEAD_SUBMITS_PER_MINUTE } from '../../../shared/leads/submit-rate-limiter.ts';
import { currentWindow } from '../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { readCounter } from '../../../shared/limits/aws/rate-limit-counter.ts';
import { organizationKey } from '../../../shared/organizations/aws/keys.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import type { RateLimitPolicy } from '../../../shared/platform/rate-limiter.ts';
import { dailySessionLimit } from '../../../shared/training/open-session.ts';
import { dailyUploadQuota } from '../../../shared/uploads/upload-quota.ts';
import {
  dailySmsLimit,
  SENDS_PER_HOUR_AND_DESTINATION,
  SENDS_PER_TEN_MINUTES_AND_LEAD,
} from '../../../shared/verification/send-rate-limits.ts';
import { createRecordTable } from '../environment/record-table.ts';

type OrganizationLimitName = keyof Organization['limits'];
type FunnelLimitName = keyof FunnelLimits;
export type LimitName = OrganizationLimitName | FunnelLimitName;
export type LimitOwner = { kind: 'organization' | 'funnel'; id: string };

export type EffectiveLimit = {
  limit: number;
  /** `own`: a value of the organization or funnel. `service`: the default. `ai block`: the value of the AI block. */
  source: 'own' | 'service' | 'ai block';
  /** Usage on the current UTC day; null if the limit is not per day. */
  usedToday: number | null;
};

/** A limit. Daily limits are policies, because reading today's usage needs the policy. Other limits are numbers. */
type LimitRule = RateLimitPolicy | number;

/** Returns the limits of an organization, in the order in which the commands show them. */
const organizationRules = ({ id, limits }: Organization): Record<OrganizationLimitName, LimitRule> => ({
  smsPerDay: dailySmsLimit(id, limits),
  aiTokensPerDay: organizationTokenPolicy(id, limits.aiTokensPerDay),
  uploadBytesPerDay: dailyUploadQuota(id, limits),
  sessionsPerDay: dailySessionLimit(id, limits),
  domains: limits.domains ?? DEFAULT_DOMAINS_MAX,
});

const funnelRules = ({ id, limits }: Funnel, ai: AiBlock | undefined): Record<FunnelLimitName, LimitRule> => ({
  aiTokensPerDay: funnelTokenPolicy(id, ai?.dailyTokens ?? limits.aiTokensPerDay),
  submitsPerMinuteAndLead: limits.submitsPerMinuteAndLead ?? LEAD_SUBMITS_PER_MINUTE,
  sendsPerTenMinutesAndLead: limits.sendsPerTenMinutesAndLead ?? SENDS_PER_TEN_MINUTES_AND_LEAD,
  sendsPerHourAndDestination: limits.sendsPerHourAndDestination ?? SENDS_PER_HOUR_AND_DESTINATION,
});

const keyOf = ({ kind, id }: LimitOwner) => (kind === 'funnel' ? funnelKey(id) : organizationKey(id));

/** Returns the limits of an organization or a funnel with their usage today; undefined if the owner does not exist. */
export async function readEffectiveLimits(owner: LimitOwner): Promise<Record<string, EffectiveLimit> | undefined> {
  const { read } = createRecordTable('directoryTable');
  if (owner.kind === 'organization') {
    const organization = await read(Organization, keyOf(owner));
    return organization && resolveLimits(organizationRules(organization), organization.limits);
  }
  const funnel = await read(Funnel, keyOf(owner));
  if (funnel === undefined) return undefined;
  const { publishedVersionId: versionId } = funnel;
  const ai = versionId === null ? undefined : (await read(FunnelVersion, versionKey(owner.id, versionId)))?.ai;
  const limits = await resolveLimits(funnelRules(funnel, ai), funnel.limits);
  const { aiTokensPerDay } = limits;
  if (ai?.dailyTokens === undefined || aiTokensPerDay === undefined) return limits;
  return { ...limits, aiTokensPerDay: { ...aiTokensPerDay, source: 'ai block' } };
}

async function resolveLimits(
  rules: Record<string, LimitRule>,
  own: Partial<Record<string, number>>,
): Promise<Record<string, EffectiveLimit>> {
  const resolve = async ([name, rule]: [string, LimitRule]): Promise<[string, EffectiveLimit]> => {
    const source = own[name] === undefined ? 'service' : 'own';
    if (typeof rule === 'number') return [name, { limit: rule, source, usedToday: null }];
    return [name, { limit: rule.limit, source, usedToday: await readLimitUsage(rule) }];
  };
  return Object.fromEntries(await Promise.all(Object.entries(rules).map(resolve)));
}

/** Returns the usage in the current window of a rate limit. If the limit was lowered, the usage can exceed it. */
export const readLimitUsage = async (window: RateLimitPolicy, clock = systemClock): Promise<number> =>
  Number((await readCounter(currentWindow(window, clock).key))?.calls?.N ?? 0);

/**
 * Changes only the given limits. A limit with the value undefined is removed, so that its default applies.
 *
 * @returns whether the owner exists
 */
export const updateLimits = (
  owner: LimitOwner,
  limits: { [name in LimitName]?: number | undefined },
): Promise<boolean> => {
  const changes = Object.entries(limits).map(([name, value]) => [`limits.${name}`, value]);
  return createRecordTable('directoryTable').update(keyOf(owner), Object.fromEntries(changes), {
    expression: 'attribute_exists(#limits)',
  });
};
