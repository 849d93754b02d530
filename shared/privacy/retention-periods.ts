import type { Funnel } from '../funnels/funnel.ts';
import type { RetentionPeriods } from '../organizations/organization.ts';

const DAY_MS = 86_400_000;

/** What was last touched at this instant or before has been kept for so many days. Milliseconds since the epoch. */
export const retentionCutoffMs = (days: number, nowMs: number): number => nowMs - days * DAY_MS;

/** For how many days a funnel's leads are kept after their last submit; undefined: until somebody erases them. */
export function effectiveLeadRetentionDays(
  { leadDays }: RetentionPeriods,
  { leadRetentionDays }: Pick<Funnel, 'leadRetentionDays'>,
): number | undefined {
  const days = [leadDays, leadRetentionDays].filter((one) => one !== undefined);
  return days.length === 0 ? undefined : Math.min(...days);
}
