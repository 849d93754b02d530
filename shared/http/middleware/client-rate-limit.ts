import type { ClientRateLimiter } from '../client-rate-limiter.ts';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';

/** 429 before the body is parsed, so that invalid bodies count, too. */
export function limitClientRate(operation: Operation, clientRateLimiter: ClientRateLimiter): Middleware {
  return {
    before: ({ event: { requestState } }) => clientRateLimiter.check(operation, requestState),
  };
}
