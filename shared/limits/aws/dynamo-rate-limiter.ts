import { HttpError } from '../../http/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { systemIdGenerator } from '../../platform/id-generator.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RateLimiter, RateLimitPolicy, RateLimitResult } from '../../platform/rate-limiter.ts';
import {
  itemKey,
  noRefund,
  number,
  type RateLimitCounter,
  RETENTION_SECONDS,
  updateCounter,
} from './rate-limit-counter.ts';

type Settings = { clock?: Clock; createCooldownCounter?: (window: RateLimitPolicy, clock: Clock) => RateLimitCounter };

/**
 * Counters in the limits table: one write a take, whose own condition refuses what does not fit, so that parallel
 * takes can't exceed a limit and a refused one leaves no trace.
 *
 * @param settings `pauseOf`: for whoever takes pauses; the other functions do not carry it
 */
export function createDynamoRateLimiter({
  clock = systemClock,
  createCooldownCounter: pauseOf,
}: Settings = {}): RateLimiter {
  return {
    consume: async (window, log, units = 1) => {
      const counter =
        window.algorithm === 'cooldown' ? pauseOf?.(window, clock) : createWindowCounter(window, clock, units);
      if (counter === undefined) throw new Error(`This limiter counts no pauses, and ${window.name} is one.`);
      try {
        return await counter.consume(refundFrom(counter, window, log, units));
      } catch (cause) {
        return applyOutagePolicy(window, log, cause);
      }
    },
  };
}

/** The window that goes on now. */
export function currentWindow({ name: scope, partitionKey: key, windowSeconds }: RateLimitPolicy, clock: Clock) {
  const nowSeconds = clock.now() / 1_000;
  const start = Math.floor(nowSeconds / windowSeconds) * windowSeconds;
  const resetSeconds = start + windowSeconds - nowSeconds;
  return { at: itemKey(`${scope}#${key}`, `window#${start}`), start, resetSeconds };
}

/** A fixed window's count. */
function createWindowCounter(window: RateLimitPolicy, clock: Clock, units: number): RateLimitCounter {
  const { limit, windowSeconds } = window;
  const { at, start, resetSeconds } = currentWindow(window, clock);
  return {
    consume: async (giveBack) => {
      if (units > limit) return { allowed: false, remaining: limit, resetSeconds, refund: noRefund };
      const counted = await updateCounter(at, {
        UpdateExpression: 'ADD calls :units SET expiresAt = :end',
        ConditionExpression: 'attribute_not_exists(calls) OR calls <= :room',
        ExpressionAttributeValues: {
          ':units': number(units),
          ':room': number(limit - units),
          ':end': number(start + windowSeconds + RETENTION_SECONDS),
        },
      });
      if (counted === undefined) return { allowed: false, remaining: 0, resetSeconds, refund: noRefund };
      return {
        allowed: true,
        remaining: Math.max(0, limit - Number(counted.calls?.N)),
        resetSeconds,
        refund: giveBack,
      };
    },
    // The SDK repeats a call whose answer was lost: the mark keeps it from giving twice.
    giveBack: (given) =>
      updateCounter(at, {
        UpdateExpression: 'ADD calls :minus SET givenBack = :mark',
        ConditionExpression: 'calls >= :given AND (attribute_not_exists(givenBack) OR givenBack <> :mark)',
        ExpressionAttributeValues: {
          ':minus': number(-given),
          ':given': number(given),
          ':mark': { S: systemIdGenerator.uuid() },
        },
      }),
  };
}

/** Gives back units of a window that were taken at a time, by whichever process. Never throws. */
export function refundUnits(
  window: RateLimitPolicy,
  taken: { atMs: number; units: number },
  log: Logger,
): Promise<void> {
  const counter = createWindowCounter(window, { now: () => taken.atMs }, taken.units);
  return refundFrom(counter, window, log, taken.units)();
}

/** Units that can't be given back stay counted until their window ends: the safe side. */
const refundFrom =
  (
    counter: RateLimitCounter,
    { name: scope }: RateLimitPolicy,
    log: Logger,
    taken: number,
  ): RateLimitResult['refund'] =>
  async (units = taken) => {
    try {
      if (units > 0) await counter.giveBack(units);
    } catch (cause) {
      log.error('units of a limit could not be given back', cause, { scope });
      log.recordMetric('LimitNotGivenBack');
    }
  };

/** An outage of the counter must not become an outage of the product, nor open the purse. */
export function applyOutagePolicy(
  { name: scope, limit, onOutage }: RateLimitPolicy,
  log: Logger,
  cause: unknown,
): RateLimitResult {
  log.recordMetric('LimitNotCounted');
  if (onOutage === 'deny') {
    throw new HttpError(503, 'The request limits cannot be checked. Try again shortly.', {
      headers: { 'Retry-After': '1' },
      cause,
    });
  }
  log.error('a rate limit could not be counted; the call passes', cause, { scope });
  return { allowed: true, remaining: limit, resetSeconds: 0, refund: noRefund };
}
