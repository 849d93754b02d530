import { randomUUID } from 'node:crypto';
import { type Authorization, createMembershipAuthorization } from '../../../shared/http/authorizer.ts';
import { HttpError } from '../../../shared/http/errors.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { memoryLimiter } from '../memory-limiter.ts';

/** An organization with a user of each role; a user's token is the user's id. */
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
  const authorization: Authorization = createMembershipAuthorization({
    tokens: {
      authenticate: async (authorization) => {
        const token = authorization?.replace('Bearer ', '');
        if (!Object.values(users).includes(token ?? '')) throw new HttpError(401, 'The token is not valid.');
        return token ?? '';
      },
    },
    memberships: { findRole: async (org, userId) => (org === orgId ? roles.get(userId) : undefined) },
    limiter: memoryLimiter().limiter,
  });
  const as = (who: keyof typeof users) => ({ authorization: `Bearer ${users[who]}` });
  return { orgId, users, gate: authorization, as };
}
