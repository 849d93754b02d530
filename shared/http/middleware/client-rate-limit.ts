import type { ClientRateLimiter } from '../client-rate-limiter.ts';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';

/**
 * Responds with 429 when a limit is exceeded. Runs before the body is parsed, so that requests with invalid bodies are
 * counted, too.
 */
export function limitClientRate(operation: Operation, clientRateLimiter: ClientRateLimiter): Middleware {
  return {
    before: ({ event: { requestState } }) => clientRateLimiter.check(operation, requestState),
  };
}
