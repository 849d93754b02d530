import type { RetentionPeriods } from '../../../shared/organizations/organization.ts';

/** Access to an organization's periods for operators. Both methods are strongly consistent. */
export type RetentionPeriodRepository = {
  /** Undefined for an unknown organization. */
  find(orgId: string): Promise<RetentionPeriods | undefined>;
  /** Writes the periods and nothing else. False if they differ from the expected ones; nothing is written then. */
  change(orgId: string, seen: RetentionPeriods, next: RetentionPeriods): Promise<boolean>;
};

/** In days; null: kept until it is erased manually; absent: unchanged. */
export type PeriodChanges = { [Kind in keyof RetentionPeriods]?: number | null | undefined };

const ATTEMPTS = 5;

/** Applies the changes to the periods. */
export function applyPeriodChanges(seen: RetentionPeriods, changes: PeriodChanges): RetentionPeriods {
  const given = Object.entries(changes).filter(([, days]) => days !== undefined);
  return Object.fromEntries(
    Object.entries({ ...seen, ...Object.fromEntries(given) }).filter(([, days]) => days !== null && days !== undefined),
  );
}

/** Changes some of an organization's periods; concurrent changes are all kept. @returns all periods */
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
