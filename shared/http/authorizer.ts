import { hasAtLeastRole, type Role } from '../organizations/membership.ts';
import type { Authenticator } from '../organizations/oidc/oidc-authenticator.ts';
import type { MembershipRepository } from '../organizations/ports.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import { HttpError } from './errors.ts';
import type { Caller } from './middleware/request-context.ts';
import { tooManyRequests } from './too-many-requests.ts';

type AuthorizationRequest = {
  userId: string;
  orgId: string;
  role: Role;
  operation: string;
  perMinute: number | undefined;
  log: Logger;
};

/** Lets callers of organization routes in: who they are, whether they belong there, and how often. */
export type Authorization = {
  /** The caller's user id. Throws 401, or 503 when the issuer's keys can't be read. */
  authenticate(authorization: string | undefined, log: Logger): Promise<string>;
  /** Throws 403 without a sufficient membership, 429 above the per-user limit. */
  authorize(admission: AuthorizationRequest): Promise<Caller>;
};

/** Membership and limit are looked up at once, and answered in the order of decisions 2. */
export function createMembershipAuthorization(ports: {
  tokens: Authenticator;
  memberships: MembershipRepository;
  limiter: RateLimiter;
}): Authorization {
  const count = async ({ userId, operation, perMinute, log }: AuthorizationRequest) => {
    if (perMinute === undefined) return;
    const window = {
      name: `${operation.replace('/', '-')}-60s`,
      partitionKey: userId,
      limit: perMinute,
      windowSeconds: 60,
      onOutage: 'allow',
    } as const;
    const taken = await ports.limiter.consume(window, log);
    if (!taken.allowed) throw tooManyRequests({ ...window, ...taken });
  };
  return {
    authenticate: (authorization, log) => ports.tokens.authenticate(authorization, log),
    authorize: async (admission) => {
      const [role, counted] = await Promise.all([
        ports.memberships.findRole(admission.orgId, admission.userId),
        count(admission).catch((problem: unknown) => ({ problem })),
      ]);
      if (role === undefined || !hasAtLeastRole(role, admission.role)) {
        throw new HttpError(403, `This requires the role ${admission.role} or higher in the organization.`);
      }
      if (counted !== undefined) throw counted.problem;
      return { userId: admission.userId, role };
    },
  };
}
