import type { Role } from './membership.ts';
import type { Organization } from './organization.ts';

export type OrganizationRepository = {
  /** Reads a copy that is at most 30 s old. @returns undefined when the organization does not exist */
  find(orgId: string): Promise<Organization | undefined>;
};

export type MembershipRepository = {
  /** Reads the user's role strongly consistently. @returns undefined when the user is not a member */
  findRole(orgId: string, userId: string): Promise<Role | undefined>;
};
