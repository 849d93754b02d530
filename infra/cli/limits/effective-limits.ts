import type { AiBlock, Funnel, FunnelLimits } from '../../../shared/funnels/funnel.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import type { RateLimitPolicy } from '../../../shared/platform/rate-limiter.ts';

export type OrganizationLimitName = keyof Organization['limits'];
export type FunnelLimitName = keyof FunnelLimits;
export type LimitName = OrganizationLimitName | FunnelLimitName;
export type LimitOwner = { kind: 'organization' | 'funnel'; id: string };

/** A limit that applies. */
export type EffectiveLimit = {
  limit: number;
  /** The organization's or funnel's own value, the default of the service, or the value of the funnel's AI block. */
  source: 'own' | 'service' | 'ai block';
  /** Use on the current UTC day; null for a limit that is not per day, or is counted per lead or destination. */
  usedToday: number | null;
};

/** Values to write, and values to remove so that the default applies again. */
export type LimitChanges = { set: Partial<Record<LimitName, number>>; unset: readonly LimitName[] };

export type LimitAdminRepository = {
  organization(orgId: string): Promise<Organization | undefined>;
  /** With the AI block of the published version. */
  funnel(funnelId: string): Promise<{ funnel: Funnel; aiBlock: AiBlock | undefined } | undefined>;
  /** Writes the changed limits only. Returns false for an unknown owner. */
  update(owner: LimitOwner, changes: LimitChanges): Promise<boolean>;
};

/** Reads how much of a rate limit's current window is used. */
export type LimitUsageReader = { used(window: RateLimitPolicy): Promise<number> };

/** One limit of each domain: a daily budget with its counter, or only a default. */
type LimitRule<Owner> = { defaultLimit: number } | { windowOf(owner: Owner): RateLimitPolicy };

export type OrganizationLimitTable = Record<OrganizationLimitName, LimitRule<Organization>>;
export type FunnelLimitTable = Record<
  FunnelLimitName,
  LimitRule<{ funnel: Pick<Funnel, 'id' | 'limits'>; aiBlock: AiBlock | undefined }>
>;

/** @returns the limits of an organization, with today's use */
export const getEffectiveOrganizationLimits = (
  limits: OrganizationLimitTable,
  usage: LimitUsageReader,
  organization: Organization,
): Promise<Record<OrganizationLimitName, EffectiveLimit>> =>
  resolveLimits(limits, usage, organization, organization.limits);

/** @returns the limits of a funnel, with today's use of those that are counted per funnel */
export async function getEffectiveFunnelLimits(
  limits: FunnelLimitTable,
  usage: LimitUsageReader,
  funnel: Pick<Funnel, 'id' | 'limits'>,
  aiBlock: AiBlock | undefined,
): Promise<Record<FunnelLimitName, EffectiveLimit>> {
  const effective = await resolveLimits(limits, usage, { funnel, aiBlock }, funnel.limits);
  if (aiBlock?.dailyTokens !== undefined) effective.aiTokensPerDay.source = 'ai block';
  return effective;
}

async function resolveLimits<Name extends string, Owner>(
  limits: Record<Name, LimitRule<Owner>>,
  usage: LimitUsageReader,
  owner: Owner,
  own: { [name in Name]?: number | undefined },
): Promise<Record<Name, EffectiveLimit>> {
  const resolve = async (name: Name): Promise<[Name, EffectiveLimit]> => {
    const rule = limits[name];
    const source = own[name] === undefined ? 'service' : 'own';
    if ('defaultLimit' in rule) return [name, { limit: own[name] ?? rule.defaultLimit, source, usedToday: null }];
    const window = rule.windowOf(owner);
    return [name, { limit: window.limit, source, usedToday: await usage.used(window) }];
  };
  const resolved = await Promise.all((Object.keys(limits) as Name[]).map(resolve));
  return Object.fromEntries(resolved) as Record<Name, EffectiveLimit>;
}
