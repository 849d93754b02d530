import { type Clock, systemClock } from '../../platform/clock.ts';
import { systemIdGenerator } from '../../platform/id-generator.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RateLimiter, RateLimitPolicy, RateLimitResult } from '../../platform/rate-limiter.ts';
import { UnavailableError } from '../../platform/unavailable.ts';
import {
  itemKey,
  noRefund,
  number,
  type RateLimitCounter,
  RETENTION_SECONDS,
  updateCounter,
} from './rate-limit-counter.ts';

type Options = {
  clock?: Clock;
  /**
   * Required for policies with the `cooldown` algorithm. It is an option, so that other functions do not bundle the
   * algorithm.
   */
  createCooldownCounter?: (policy: RateLimitPolicy, clock: Clock) => RateLimitCounter;
};

/**
 * Counts in the limits table. Each consumption is one conditional write, so that concurrent requests can't exceed a
 * limit and denied requests are not counted.
 */
export function createDynamoRateLimiter({ clock = systemClock, createCooldownCounter }: Options = {}): RateLimiter {
  return {
    consume: async (policy, log, units = 1) => {
      const counter =
        policy.algorithm === 'cooldown'
          ? createCooldownCounter?.(policy, clock)
          : createWindowCounter(policy, clock, units);
      if (counter === undefined)
        throw new Error(
          `The policy ${policy.name} has the algorithm "cooldown". Pass createCooldownCounter to createDynamoRateLimiter.`,
        );
      try {
        return await counter.consume(refundFrom(counter, policy, log, units));
      } catch (cause) {
        return applyOutagePolicy(policy, log, cause);
      }
    },
  };
}

export function currentWindow({ name, partitionKey, windowSeconds }: RateLimitPolicy, clock: Clock) {
  const nowSeconds = clock.now() / 1_000;
  const start = Math.floor(nowSeconds / windowSeconds) * windowSeconds;
  const resetSeconds = start + windowSeconds - nowSeconds;
  return { key: itemKey(`${name}#${partitionKey}`, `window#${start}`), start, resetSeconds };
}

function createWindowCounter(policy: RateLimitPolicy, clock: Clock, units: number): RateLimitCounter {
  const { limit, windowSeconds } = policy;
  const { key, start, resetSeconds } = currentWindow(policy, clock);
  return {
    consume: async (refund) => {
      if (units > limit) return { allowed: false, remaining: limit, resetSeconds, refund: noRefund };
      const updated = await updateCounter(key, {
        UpdateExpression: 'ADD calls :units SET expiresAt = :end',
        ConditionExpression: 'attribute_not_exists(calls) OR calls <= :room',
        ExpressionAttributeValues: {
          ':units': number(units),
          ':room': number(limit - units),
          ':end': number(start + windowSeconds + RETENTION_SECONDS),
        },
      });
      if (updated === undefined) return { allowed: false, remaining: 0, resetSeconds, refund: noRefund };
      return { allowed: true, remaining: Math.max(0, limit - Number(updated.calls?.N)), resetSeconds, refund };
    },
    // If the response to a write is lost, the SDK repeats the write. The condition on a random mark makes the repeated
    // write fail, so that the units are refunded only once. If another refund was stored in between, it does not fail.
    refund: (refunded) =>
      updateCounter(key, {
        UpdateExpression: 'ADD calls :minus SET givenBack = :mark',
        ConditionExpression: 'calls >= :given AND (attribute_not_exists(givenBack) OR givenBack <> :mark)',
        ExpressionAttributeValues: {
          ':minus': number(-refunded),
          ':given': number(refunded),
          ':mark': { S: systemIdGenerator.uuid() },
        },
      }),
  };
}

/** Refunds the `units` that another process consumed at `atMs`. Never throws. */
export function refundUnits(
  policy: RateLimitPolicy,
  consumed: { atMs: number; units: number },
  log: Logger,
): Promise<void> {
  const counter = createWindowCounter(policy, { now: () => consumed.atMs }, consumed.units);
  return refundFrom(counter, policy, log, consumed.units)();
}

/**
 * Returns a function that refunds units. The function never throws. If a refund fails, the units can stay counted until
 * their window ends.
 */
const refundFrom =
  (counter: RateLimitCounter, { name }: RateLimitPolicy, log: Logger, consumed: number): RateLimitResult['refund'] =>
  async (units = consumed) => {
    try {
      if (units > 0) await counter.refund(units);
    } catch (cause) {
      log.error('Units of a rate limit could not be refunded. They may stay counted.', cause, { scope: name });
      log.recordMetric('LimitNotRefunded');
    }
  };

/**
 * Allows or denies a request that could not be counted, as the policy's `onOutage` says (ADR 0015).
 *
 * @throws UnavailableError when the policy says `deny`
 */
export function applyOutagePolicy(
  { name, limit, onOutage }: RateLimitPolicy,
  log: Logger,
  cause: unknown,
): RateLimitResult {
  log.recordMetric('LimitNotCounted');
  if (onOutage === 'deny') {
    throw new UnavailableError('Rate limits cannot be checked. Try again shortly.', {
      retryAfterSeconds: 1,
      cause,
    });
  }
  log.error('A rate limit could not be checked. The request is allowed.', cause, { scope: name });
  return { allowed: true, remaining: limit, resetSeconds: 0, refund: noRefund };
}
