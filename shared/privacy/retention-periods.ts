import type { Funnel } from '../funnels/funnel.ts';
import type { RetentionPeriods } from '../organizations/organization.ts';

const DAY_MS = 86_400_000;

/** Returns a time in epoch milliseconds. Data of this time or earlier has been kept for at least `days` days. */
export const retentionCutoffMs = (days: number, nowMs: number): number => nowMs - days * DAY_MS;

/**
 * Returns how many days a lead of the funnel is kept after its last submit. This is the shorter of the organization's
 * and the funnel's period, or undefined if neither has a period.
 */
export function effectiveLeadRetentionDays(
  { leadDays }: RetentionPeriods,
  { leadRetentionDays }: Pick<Funnel, 'leadRetentionDays'>,
): number | undefined {
  const days = [leadDays, leadRetentionDays].filter((one) => one !== undefined);
  return days.length === 0 ? undefined : Math.min(...days);
}
