import * as z from 'zod/mini';
import { humanText } from '../../../shared/http/schemas.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { isTimeZone } from '../../../shared/platform/time-zone.ts';

/** Visitors read it as the sender of their codes. */
export const OrganizationName = humanText(1, 100);

/** A name of the IANA database, as analytics reads take it. */
export const TimeZone = z.string().check(z.maxLength(100), z.refine(isTimeZone));

/** What operators change of an organization itself. */
type OrganizationChanges = { name?: string | undefined; timezone?: string | undefined };

/** How much there is of what belongs to an organization. */
type OrganizationCounts = { members: number; funnels: number; pages: number; domains: number };

/** Organizations as operators see them: as they are now, never as of earlier. */
export type OrganizationAdminRepository = {
  /** Adds it to the list before it exists, so that none exists that is not listed. */
  add(organization: Organization): Promise<void>;
  find(orgId: string): Promise<Organization | undefined>;
  /** In no order. */
  list(): AsyncIterable<Organization>;
  /** Writes what changes and nothing else. @returns it as it is from then on; undefined when there is no such organization */
  update(orgId: string, changes: OrganizationChanges): Promise<Organization | undefined>;
  countResources(orgId: string): Promise<OrganizationCounts>;
};

/** Makes an organization without members. */
export async function createOrganization(
  { organizations, newId }: { organizations: Pick<OrganizationAdminRepository, 'add'>; newId: () => string },
  said: { name: string; timezone?: string | undefined },
): Promise<Organization> {
  const organization = Organization.parse({ ...said, id: newId() });
  await organizations.add(organization);
  return organization;
}
