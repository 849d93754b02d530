import type { ClientRateLimiter } from '../../limits/client-rate-limiter.ts';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';

/** 429 before the body is looked at, so that no bad body slips past a limit. */
export function limitClientRate(declared: Operation, gate: ClientRateLimiter): Middleware {
  return {
    before: ({ event: { context: frame } }) => gate.check(declared, frame),
  };
}
