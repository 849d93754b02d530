import { HttpError } from '../http/errors.ts';
import { rateLimitHeaders } from '../http/too-many-requests.ts';
import { consumeAll } from '../platform/consume-all.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter, RateLimitPolicy, RateLimitReader } from '../platform/rate-limiter.ts';
import { hashDestination } from './code.ts';
import { type ContactField, normalizeRecipient } from './contact-fields.ts';

/** For all leads of an organization together, so that a new lead buys no new guesses. */
export const FAILED_ATTEMPTS_PER_DAY = 20;
const DAY_SECONDS = 86_400;

type Destination = Pick<ContactField, 'channel' | 'destination'>;

/** The wrong checks of destinations in this UTC day. */
export type FailedAttemptLimiter = {
  /** Asked before digits are judged, right or wrong. @throws Problem 429 `too_many_attempts` when none is left */
  assertRemaining(destinations: readonly Destination[]): Promise<void>;
  /** Counts a wrong check before it is told. @throws Problem 429 `too_many_attempts` when none is left */
  consume(destinations: readonly Destination[]): Promise<void>;
};

type Settings = { secret: string; orgId: string; log: Logger };

/**
 * The budget as one request uses it. So many wrong checks are told, exactly. Only what is wrong is counted, so that a
 * right check costs no write here; checks that are judged at the very moment when the last one is used up have only
 * their leads' own budgets above them.
 */
export function createFailedAttemptLimiter(
  limiter: RateLimiter & RateLimitReader,
  { secret, orgId, log }: Settings,
): FailedAttemptLimiter {
  const windowsOf = (destinations: readonly Destination[]): RateLimitPolicy[] => {
    const keys = new Set(
      destinations.map((destination) => hashDestination(secret, orgId, normalizeRecipient(destination))),
    );
    return [...keys].map((key) => ({
      name: 'mfa-wrong-checks',
      partitionKey: key,
      limit: FAILED_ATTEMPTS_PER_DAY,
      windowSeconds: DAY_SECONDS,
      onOutage: 'deny',
    }));
  };
  return {
    assertRemaining: async (destinations) => {
      const left = await Promise.all(windowsOf(destinations).map((window) => limiter.readRemaining(window, log)));
      const usedUp = left.find(({ remaining }) => remaining <= 0);
      if (usedUp) throw dailyLimitReached(usedUp.resetSeconds);
    },
    consume: async (destinations) => {
      const { exceeded: refused } = await consumeAll(limiter, windowsOf(destinations), log);
      if (refused) throw dailyLimitReached(refused.result.resetSeconds);
    },
  };
}

function dailyLimitReached(resetSeconds: number): HttpError {
  return new HttpError(429, 'Too many wrong codes for this destination today. Try again tomorrow (UTC).', {
    code: 'too_many_attempts',
    headers: rateLimitHeaders({
      name: 'mfa-wrong-checks',
      limit: FAILED_ATTEMPTS_PER_DAY,
      windowSeconds: DAY_SECONDS,
      resetSeconds,
    }),
  });
}
