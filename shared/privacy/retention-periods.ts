import type { Funnel } from '../funnels/funnel.ts';
import type { RetentionPeriods } from '../organizations/organization.ts';

const DAY_MS = 86_400_000;

/** Returns a time in epoch milliseconds. Data of this time or earlier has been kept for at least `days` days. */
export const retentionCutoffMs = (days: number, nowMs: number): number => nowMs - days * DAY_MS;

export type FunnelRetention = Pick<Funnel, 'leadRetentionDays' | 'earlierLeadRetention'>;

/**
 * For at most this time after a publication of the funnel, submits can still use the previous retention period. The
 * value is longer than the cache time of a funnel plus the duration of a submit.
 */
const PUBLICATION_MS_MAX = 300_000;

export type LeadCutoffs = {
  /** Leads that were last submitted at this time or earlier are due. Undefined: there is no period. */
  due: string | undefined;
  /**
   * Leads that were last submitted after this time are neither due nor expired. Undefined: no lead is due or expired.
   */
  latest: string | undefined;
};

/**
 * Returns times in ISO 8601 UTC. The period of a lead starts at its last submit. If both the organization and the
 * funnel have a period, the shorter one applies. If an earlier period of the funnel was shorter, leads keep the earlier
 * period until their next submit.
 */
export function leadCutoffs(
  { leadDays }: RetentionPeriods,
  { leadRetentionDays, earlierLeadRetention }: FunnelRetention,
  nowMs: number,
): LeadCutoffs {
  const days = [leadDays, leadRetentionDays].filter((one) => one !== undefined);
  const due = days.map((one) => retentionCutoffMs(one, nowMs));
  const expired = earlierLeadRetention.map(({ days: earlier, until }) =>
    Math.min(retentionCutoffMs(earlier, nowMs), Date.parse(until) + PUBLICATION_MS_MAX),
  );
  return { due: latestOf(due), latest: latestOf([...due, ...expired]) };
}

const latestOf = (times: readonly number[]): string | undefined =>
  times.length === 0 ? undefined : new Date(Math.max(...times)).toISOString();
