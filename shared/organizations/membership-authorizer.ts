import type { Authorizer } from '../http/authorizer.ts';
import { HttpError } from '../http/errors.ts';
import { hasAtLeastRole, type Role } from './membership.ts';
import { OrganizationPath } from './paths.ts';
import type { MembershipRepository } from './ports.ts';

/** Authorizes users by their role in the organization whose id is the path parameter `orgId`. */
export function createMembershipAuthorizer(memberships: MembershipRepository): Authorizer<Role> {
  return {
    authorize: async ({ principal: { userId }, requiredRole, pathParameters }) => {
      const { orgId } = OrganizationPath.parse(pathParameters);
      const role = await memberships.findRole(orgId, userId);
      if (role === undefined || !hasAtLeastRole(role, requiredRole)) {
        throw new HttpError(403, `This operation requires the role ${requiredRole} or higher in the organization.`);
      }
      return { userId, role };
    },
  };
}
