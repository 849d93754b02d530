import type { Logger } from '../../platform/logger.ts';
import type { RateLimiter } from '../../platform/rate-limiter.ts';
import type { Authorization } from '../authorizer.ts';
import { tooManyRequests } from '../errors.ts';
import type { Operation, OperationDeclaration } from '../operation.ts';
import type { Middleware } from './middleware.ts';
import { validatePath } from './request-validation.ts';

/**
 * Throws the first applicable error of 401, 400 for the path, 403 and 429, in this order. Unauthorized users therefore
 * learn nothing about the organization. The authorizer and the rate limiter run concurrently.
 */
export function authorizeRequest<Role extends string>(
  operation: Operation<OperationDeclaration<Role>>,
  { authenticator, authorizer, rateLimiter }: Authorization<Role>,
): Middleware {
  if (operation.auth === 'public')
    throw new Error(`${operation.id} is public, so its endpoint must not authorize requests. Use publicEndpoint.`);
  const { role: requiredRole } = operation.auth;
  const { before: parsePath } = validatePath(operation);
  return {
    before: async (request) => {
      const { requestState } = request.event;
      const principal = await authenticator.authenticate(requestState.headers.authorization, requestState.log);
      await parsePath?.(request);
      const [authorized, counted] = await Promise.allSettled([
        authorizer.authorize({ principal, requiredRole, pathParameters: requestState.path }),
        countUserRequest(operation, rateLimiter, principal.userId, requestState.log),
      ]);
      if (authorized.status === 'rejected') throw authorized.reason;
      if (counted.status === 'rejected') throw counted.reason;
      requestState.caller = authorized.value;
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
