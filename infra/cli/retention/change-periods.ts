import { organizationKey } from '../../../shared/organizations/aws/keys.ts';
import { Organization, type RetentionPeriods } from '../../../shared/organizations/organization.ts';
import { createRecordTable } from '../environment/record-table.ts';

/** New periods in days. null removes a period. A kind of data that is absent keeps its period. */
export type PeriodChanges = { [Kind in keyof RetentionPeriods]?: number | null | undefined };

export function applyPeriodChanges(periods: RetentionPeriods, changes: PeriodChanges): RetentionPeriods {
  const given = Object.entries(changes).filter(([, days]) => days !== undefined);
  return Object.fromEntries(
    Object.entries({ ...periods, ...Object.fromEntries(given) }).filter(
      ([, days]) => days !== null && days !== undefined,
    ),
  );
}

/**
 * Changes only the given periods of an organization. Concurrent changes of other periods are kept.
 *
 * @returns all periods; undefined if there is no such organization
 */
export async function changePeriods(orgId: string, changes: PeriodChanges): Promise<RetentionPeriods | undefined> {
  const { read, update } = createRecordTable('directoryTable');
  const key = organizationKey(orgId);
  const given = Object.entries(changes).filter(([, days]) => days !== undefined);
  const paths = Object.fromEntries(given.map(([kind, days]) => [`retention.${kind}`, days ?? undefined]));
  // Creates the attribute `retention`, which the second write needs. It is missing in organizations that were created
  // before retention periods existed.
  const isMissing = 'attribute_exists(pk) AND attribute_not_exists(#retention)';
  await update(key, { retention: {} }, { expression: isMissing });
  if (!(await update(key, paths, { expression: 'attribute_exists(#retention)' }))) return undefined;
  return (await read(Organization, key))?.retention;
}
