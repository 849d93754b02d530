import type { Funnel } from '../funnels/funnel.ts';
import type { RetentionPeriods } from '../organizations/organization.ts';

const DAY_MS = 86_400_000;

/** Data of this time or earlier has been kept for at least `days` days. Milliseconds since the epoch. */
export const retentionCutoffMs = (days: number, nowMs: number): number => nowMs - days * DAY_MS;

/**
 * Days to keep a funnel's leads after their last submit: the shorter of the organization's and the funnel's period.
 * Undefined if neither has a period.
 */
export function effectiveLeadRetentionDays(
  { leadDays }: RetentionPeriods,
  { leadRetentionDays }: Pick<Funnel, 'leadRetentionDays'>,
): number | undefined {
  const days = [leadDays, leadRetentionDays].filter((one) => one !== undefined);
  return days.length === 0 ? undefined : Math.min(...days);
}
