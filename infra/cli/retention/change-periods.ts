import type { RetentionPeriods } from '../../../shared/organizations/organization.ts';

/** What operators change of an organization's periods. Both methods are strongly consistent. */
export type RetentionPeriodRepository = {
  /** Undefined when there is no such organization. */
  find(orgId: string): Promise<RetentionPeriods | undefined>;
  /** Writes the periods and nothing else. False when they are not those that were seen: nothing is written. */
  change(orgId: string, seen: RetentionPeriods, next: RetentionPeriods): Promise<boolean>;
};

/** Days; null: until somebody erases it; absent: as it is. */
export type PeriodChanges = { [Kind in keyof RetentionPeriods]?: number | null | undefined };

const ATTEMPTS = 5;

/** The periods with the changes in them. */
export function applyPeriodChanges(seen: RetentionPeriods, changes: PeriodChanges): RetentionPeriods {
  const given = Object.entries(changes).filter(([, days]) => days !== undefined);
  return Object.fromEntries(
    Object.entries({ ...seen, ...Object.fromEntries(given) }).filter(([, days]) => days !== null && days !== undefined),
  );
}

/** Changes some of an organization's periods; two operators at once lose none of each other's. @returns all periods */
export async function changePeriods(
  desk: RetentionPeriodRepository,
  orgId: string,
  changes: PeriodChanges,
): Promise<RetentionPeriods | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await desk.find(orgId);
    if (seen === undefined) return undefined;
    const next = applyPeriodChanges(seen, changes);
    if (await desk.change(orgId, seen, next)) return next;
  }
  throw new Error('The retention periods are being changed by others again and again: try again in a minute.');
}
