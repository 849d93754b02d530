import { type Clock, systemClock } from '../platform/clock.ts';
import { timedCache } from '../platform/timed-cache.ts';
import * as key from './directory-keys.ts';
import { ENTRIES_MAX, POINTER_MS, readRecord, readRecordAs } from './directory-table.ts';
import { Organization, type Organizations } from './organization.ts';

/** Organizations in the directory table. @throws Problem 503 while it is not available */
export function dynamoOrganizations(clock: Clock = systemClock): Organizations {
  const organizations = timedCache<Organization>({ clock, ttlMs: POINTER_MS, entriesMax: ENTRIES_MAX });
  const owned = timedCache<true>({ clock, ttlMs: POINTER_MS, entriesMax: ENTRIES_MAX });
  return {
    find: (orgId) => organizations(orgId, () => readRecordAs(Organization, key.organization(orgId))),
    ownsFunnel: async (orgId, funnelId) => {
      const found = await owned(`${orgId}/${funnelId}`, async () =>
        (await readRecord(key.orgFunnel(orgId, funnelId))) === undefined ? undefined : true,
      );
      return found ?? false;
    },
  };
}
