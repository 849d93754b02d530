import * as z from 'zod/mini';
import { humanText } from '../../../shared/http/schemas.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { isTimeZone } from '../../../shared/platform/time-zone.ts';

/** Visitors see it as the sender of their verification codes. */
export const OrganizationName = humanText(1, 100);

/** A time zone of the IANA database, as analytics reads accept it. */
export const TimeZone = z.string().check(z.maxLength(100), z.refine(isTimeZone));

/** The attributes of an organization that operators can change. */
type OrganizationChanges = { name?: string | undefined; timezone?: string | undefined };

/** The number of items of each kind that belong to an organization. */
type OrganizationCounts = { members: number; funnels: number; pages: number; domains: number };

/** Access to organizations for operators. Reads are strongly consistent. */
export type OrganizationAdminRepository = {
  /** Adds it to the list before it exists, so that every existing organization is listed. */
  add(organization: Organization): Promise<void>;
  find(orgId: string): Promise<Organization | undefined>;
  /** Unordered. */
  list(): AsyncIterable<Organization>;
  /** Writes the changed attributes only. @returns the organization afterwards; undefined if it is unknown */
  update(orgId: string, changes: OrganizationChanges): Promise<Organization | undefined>;
  countResources(orgId: string): Promise<OrganizationCounts>;
};

/** Creates an organization without members. */
export async function createOrganization(
  { organizations, newId }: { organizations: Pick<OrganizationAdminRepository, 'add'>; newId: () => string },
  said: { name: string; timezone?: string | undefined },
): Promise<Organization> {
  const organization = Organization.parse({ ...said, id: newId() });
  await organizations.add(organization);
  return organization;
}
