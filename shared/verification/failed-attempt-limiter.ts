import { HttpError, rateLimitHeaders } from '../http/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter, RateLimitPolicy, RateLimitReader } from '../platform/rate-limiter.ts';
import { consumeAll } from '../platform/rate-limiter.ts';
import { hashDestination } from './code.ts';
import { type ContactField, normalizeRecipient } from './contact-fields.ts';

/**
 * Maximum number of failed attempts per destination and UTC day. All leads of an organization share this limit, so that
 * a new lead gives no further attempts.
 */
export const FAILED_ATTEMPTS_PER_DAY = 20;
const DAY_SECONDS = 86_400;
const POLICY_NAME = 'mfa-wrong-checks';

type Destination = Pick<ContactField, 'channel' | 'destination'>;

/**
 * Limits the failed attempts per destination. Both methods throw HttpError 429 `too_many_attempts` if no attempt is
 * left, and UnavailableError if the count can't be read or written.
 */
export type FailedAttemptLimiter = {
  /** Checks that an attempt is left. Call before the outcome of a check is stored. */
  assertRemaining(destinations: readonly Destination[]): Promise<void>;
  /** Counts a failed attempt. Call before the failure is reported to the client. */
  consume(destinations: readonly Destination[]): Promise<void>;
};

type Options = { secret: string; orgId: string; log: Logger };

/**
 * Creates the limiter of one request. It counts only failed attempts, so that a correct code costs no write.
 * `assertRemaining` only reads. Therefore several concurrent checks can use the last attempt. The lockout of each lead
 * limits their number.
 */
export function createFailedAttemptLimiter(
  limiter: RateLimiter & RateLimitReader,
  { secret, orgId, log }: Options,
): FailedAttemptLimiter {
  const policiesFor = (destinations: readonly Destination[]): RateLimitPolicy[] => {
    const keys = destinations.map((destination) => hashDestination(secret, orgId, normalizeRecipient(destination)));
    return [...new Set(keys)].map((partitionKey) => ({
      name: POLICY_NAME,
      partitionKey,
      limit: FAILED_ATTEMPTS_PER_DAY,
      windowSeconds: DAY_SECONDS,
      onOutage: 'deny',
    }));
  };
  return {
    assertRemaining: async (destinations) => {
      const limits = await Promise.all(policiesFor(destinations).map((policy) => limiter.readRemaining(policy, log)));
      const exhausted = limits.find(({ remaining }) => remaining <= 0);
      if (exhausted) throw dailyLimitReached(exhausted.resetSeconds);
    },
    consume: async (destinations) => {
      const { exceeded } = await consumeAll(limiter, policiesFor(destinations), log);
      if (exceeded) throw dailyLimitReached(exceeded.result.resetSeconds);
    },
  };
}

function dailyLimitReached(resetSeconds: number): HttpError {
  return new HttpError(429, 'Too many wrong codes for this destination today. Try again tomorrow (UTC).', {
    code: 'too_many_attempts',
    headers: rateLimitHeaders({
      name: POLICY_NAME,
      limit: FAILED_ATTEMPTS_PER_DAY,
      windowSeconds: DAY_SECONDS,
      resetSeconds,
    }),
  });
}
