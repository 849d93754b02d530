import * as key from '../../platform/aws/directory-keys.ts';
import {
  REFERENCE_CACHE_ENTRIES_MAX,
  REFERENCE_CACHE_TTL_MS,
  readItem,
  readParsedItem,
} from '../../platform/aws/table-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { createTtlCache } from '../../platform/ttl-cache.ts';
import { Organization, type OrganizationRepository } from '../organization.ts';

/** Organizations in the directory table. @throws Problem 503 while it is not available */
export function createDynamoOrganizationRepository(clock: Clock = systemClock): OrganizationRepository {
  const organizations = createTtlCache<Organization>({
    clock,
    ttlMs: REFERENCE_CACHE_TTL_MS,
    entriesMax: REFERENCE_CACHE_ENTRIES_MAX,
  });
  const owned = createTtlCache<true>({ clock, ttlMs: REFERENCE_CACHE_TTL_MS, entriesMax: REFERENCE_CACHE_ENTRIES_MAX });
  return {
    find: (orgId) => organizations(orgId, () => readParsedItem(Organization, key.organization(orgId))),
    ownsFunnel: async (orgId, funnelId) => {
      const found = await owned(`${orgId}/${funnelId}`, async () =>
        (await readItem(key.orgFunnel(orgId, funnelId))) === undefined ? undefined : true,
      );
      return found ?? false;
    },
  };
}
