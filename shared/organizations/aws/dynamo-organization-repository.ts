import { createReferenceCache, readParsedItem } from '../../platform/aws/table-reader.ts';
import { systemClock } from '../../platform/clock.ts';
import { Organization } from '../organization.ts';
import type { OrganizationRepository } from '../ports.ts';
import { organizationKey } from './keys.ts';

/**
 * Caches organizations. If an organization is not cached and the directory table is not available, `find` throws an
 * UnavailableError.
 */
export function createDynamoOrganizationRepository(): OrganizationRepository {
  const organizations = createReferenceCache<Organization>(systemClock);
  return {
    find: (orgId) => organizations(orgId, () => readParsedItem(Organization, organizationKey(orgId))),
  };
}
