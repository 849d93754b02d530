import type { Logger } from '../../platform/logger.ts';
import type { RateLimiter } from '../../platform/rate-limiter.ts';
import type { Authorization } from '../authorizer.ts';
import { tooManyRequests } from '../errors.ts';
import type { Operation, OperationSpec } from '../operation.ts';
import type { Middleware } from './middleware.ts';
import { validatePath } from './request-validation.ts';

/**
 * 401, then 400 for the path, then 403, then 429, so that unauthorized users learn nothing about the organization. The
 * authorizer and the rate limiter run concurrently.
 */
export function authorizeRequest<Role extends string>(
  declared: Operation<OperationSpec<Role>>,
  { authenticator, authorizer, rateLimiter }: Authorization<Role>,
): Middleware {
  if (declared.auth === 'public') throw new Error(`${declared.id} is public and has no authorization.`);
  const { role: requiredRole } = declared.auth;
  const { before: parsePath } = validatePath(declared);
  return {
    before: async (request) => {
      const { context } = request.event;
      const principal = await authenticator.authenticate(context.headers.authorization, context.log);
      await parsePath?.(request);
      const [authorized, counted] = await Promise.allSettled([
        authorizer.authorize({ principal, requiredRole, pathParameters: context.path }),
        countUserRequest(declared, rateLimiter, principal.userId, context.log),
      ]);
      if (authorized.status === 'rejected') throw authorized.reason;
      if (counted.status === 'rejected') throw counted.reason;
      context.caller = authorized.value;
    },
  };
}

async function countUserRequest({ id, limits }: Operation, rateLimiter: RateLimiter, userId: string, log: Logger) {
  if (limits.perMinutePerUser === undefined) return;
  const policy = {
    name: `${id.replace('/', '-')}-60s`,
    partitionKey: userId,
    limit: limits.perMinutePerUser,
    windowSeconds: 60,
    onOutage: 'allow',
  } as const;
  const result = await rateLimiter.consume(policy, log);
  if (!result.allowed) throw tooManyRequests({ ...policy, ...result });
}
