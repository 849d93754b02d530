import type { Role } from './membership.ts';
import type { Organization } from './organization.ts';

export type OrganizationRepository = {
  /** Cached for at most 30 s. */
  find(orgId: string): Promise<Organization | undefined>;
};

export type MembershipRepository = {
  /** The user's role in the organization, strongly consistent; undefined without a membership. */
  findRole(orgId: string, userId: string): Promise<Role | undefined>;
};
