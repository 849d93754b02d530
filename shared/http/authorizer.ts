import type { Logger } from '../platform/logger.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';

export type Principal = { userId: string };

/** The user who calls an organization route, and the user's role in that organization. */
export type Caller<Role extends string = string> = Principal & { role: Role };

export type Authenticator = {
  /**
   * @param authorizationHeader the value of the `Authorization` header
   * @throws HttpError 401 for a missing or invalid token; UnavailableError when tokens can't be verified
   */
  authenticate(authorizationHeader: string | undefined, log: Logger): Promise<Principal>;
};

type AuthorizationRequest<Role extends string = string> = {
  principal: Principal;
  requiredRole: Role;
  /** Validated against the operation's declaration. */
  pathParameters: unknown;
};

export type Authorizer<Role extends string = string> = {
  /**
   * @throws HttpError 403 when the principal does not have the required role; UnavailableError when roles can't be read
   */
  authorize(request: AuthorizationRequest<Role>): Promise<Caller<Role>>;
};

export type Authorization<Role extends string = string> = {
  authenticator: Authenticator;
  authorizer: Authorizer<Role>;
  rateLimiter: RateLimiter;
};
