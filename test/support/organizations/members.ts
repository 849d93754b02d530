import { randomUUID } from 'node:crypto';
import type { Authorization } from '../../../shared/http/authorizer.ts';
import { HttpError } from '../../../shared/http/errors.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { createMembershipAuthorizer } from '../../../shared/organizations/membership-authorizer.ts';
import { memoryLimiter } from '../memory-limiter.ts';

/** An organization with a user of each role, and a user without membership. The token of a user is the user's id. */
export function anOrganization(orgId: string = randomUUID()) {
  const users: Record<Role | 'stranger', string> = {
    owner: randomUUID(),
    admin: randomUUID(),
    member: randomUUID(),
    stranger: randomUUID(),
  };
  const roles = new Map<string, Role>([
    [users.owner, 'owner'],
    [users.admin, 'admin'],
    [users.member, 'member'],
  ]);
  const authorization: Authorization<Role> = {
    authenticator: {
      authenticate: async (header) => {
        const token = header?.replace('Bearer ', '');
        if (!Object.values(users).includes(token ?? '')) throw new HttpError(401, 'The token is not valid.');
        return { userId: token ?? '' };
      },
    },
    authorizer: createMembershipAuthorizer({
      findRole: async (org, userId) => (org === orgId ? roles.get(userId) : undefined),
    }),
    rateLimiter: memoryLimiter().limiter,
  };
  const as = (who: keyof typeof users) => ({ authorization: `Bearer ${users[who]}` });
  return { orgId, users, authorization, as };
}
