import type { Limiter } from '../limits/limiter.ts';
import { hasAtLeastRole, type MembershipRepository, type Role } from '../organizations/membership.ts';
import type { Log } from '../platform/log.ts';
import { Problem } from './problem.ts';
import { rateLimited } from './rate-limited.ts';
import type { Caller } from './stack/frame.ts';
import type { TokenVerifier } from './tokens.ts';

type Admission = {
  userId: string;
  orgId: string;
  role: Role;
  operation: string;
  perMinute: number | undefined;
  log: Log;
};

/** Lets callers of organization routes in: who they are, whether they belong there, and how often. */
export type Gate = {
  /** The caller's user id. Throws 401, or 503 when the issuer's keys can't be read. */
  identify(authorization: string | undefined, log: Log): Promise<string>;
  /** Throws 403 without a sufficient membership, 429 above the per-user limit. */
  admit(admission: Admission): Promise<Caller>;
};

/** Membership and limit are looked up at once, and answered in the order of decisions 2. */
export function memberGate(ports: {
  tokens: TokenVerifier;
  memberships: MembershipRepository;
  limiter: Limiter;
}): Gate {
  const count = async ({ userId, operation, perMinute, log }: Admission) => {
    if (perMinute === undefined) return;
    const window = {
      scope: `${operation.replace('/', '-')}-60s`,
      key: userId,
      limit: perMinute,
      windowSeconds: 60,
      unreachable: 'pass',
    } as const;
    const taken = await ports.limiter.take(window, log);
    if (!taken.allowed) throw rateLimited({ ...window, ...taken });
  };
  return {
    identify: (authorization, log) => ports.tokens.userIdOf(authorization, log),
    admit: async (admission) => {
      const [role, counted] = await Promise.all([
        ports.memberships.findRole(admission.orgId, admission.userId),
        count(admission).catch((problem: unknown) => ({ problem })),
      ]);
      if (role === undefined || !hasAtLeastRole(role, admission.role)) {
        throw new Problem(403, `This requires the role ${admission.role} or higher in the organization.`);
      }
      if (counted !== undefined) throw counted.problem;
      return { userId: admission.userId, role };
    },
  };
}
