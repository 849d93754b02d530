import { Problem } from '../http/problem.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { systemIds } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { type Counter, itemKey, KEPT_SECONDS, nothing, number, updateCounter } from './dynamo-counter.ts';
import type { Limiter, Taken, Window } from './limiter.ts';

type Settings = { clock?: Clock; pauseOf?: (window: Window, clock: Clock) => Counter };

/**
 * Counters in the limits table: one write a take, whose own condition refuses what does not fit, so that parallel
 * takes can't exceed a limit and a refused one leaves no trace.
 *
 * @param settings `pauseOf`: for whoever takes pauses; the other functions do not carry it
 */
export function dynamoLimiter({ clock = systemClock, pauseOf }: Settings = {}): Limiter {
  return {
    take: async (window, log, units = 1) => {
      const counter = window.from === 'take' ? pauseOf?.(window, clock) : countOf(window, clock, units);
      if (counter === undefined) throw new Error(`This limiter counts no pauses, and ${window.scope} is one.`);
      try {
        return await counter.take(giveBackWith(counter, window, log, units));
      } catch (cause) {
        return uncounted(window, log, cause);
      }
    },
  };
}

/** The window that goes on now. */
export function fixedWindow({ scope, key, windowSeconds }: Window, clock: Clock) {
  const nowSeconds = clock.now() / 1_000;
  const start = Math.floor(nowSeconds / windowSeconds) * windowSeconds;
  const resetSeconds = start + windowSeconds - nowSeconds;
  return { at: itemKey(`${scope}#${key}`, `window#${start}`), start, resetSeconds };
}

/** A fixed window's count. */
function countOf(window: Window, clock: Clock, units: number): Counter {
  const { limit, windowSeconds } = window;
  const { at, start, resetSeconds } = fixedWindow(window, clock);
  return {
    take: async (giveBack) => {
      if (units > limit) return { allowed: false, remaining: limit, resetSeconds, giveBack: nothing };
      const counted = await updateCounter(at, {
        UpdateExpression: 'ADD calls :units SET expiresAt = :end',
        ConditionExpression: 'attribute_not_exists(calls) OR calls <= :room',
        ExpressionAttributeValues: {
          ':units': number(units),
          ':room': number(limit - units),
          ':end': number(start + windowSeconds + KEPT_SECONDS),
        },
      });
      if (counted === undefined) return { allowed: false, remaining: 0, resetSeconds, giveBack: nothing };
      return { allowed: true, remaining: Math.max(0, limit - Number(counted.calls?.N)), resetSeconds, giveBack };
    },
    // The SDK repeats a call whose answer was lost: the mark keeps it from giving twice.
    giveBack: (given) =>
      updateCounter(at, {
        UpdateExpression: 'ADD calls :minus SET givenBack = :mark',
        ConditionExpression: 'calls >= :given AND (attribute_not_exists(givenBack) OR givenBack <> :mark)',
        ExpressionAttributeValues: {
          ':minus': number(-given),
          ':given': number(given),
          ':mark': { S: systemIds.uuid() },
        },
      }),
  };
}

/** Gives back units of a window that were taken at a time, by whichever process. Never throws. */
export function releaseUnits(window: Window, taken: { atMs: number; units: number }, log: Log): Promise<void> {
  const counter = countOf(window, { now: () => taken.atMs }, taken.units);
  return giveBackWith(counter, window, log, taken.units)();
}

/** Units that can't be given back stay counted until their window ends: the safe side. */
const giveBackWith =
  (counter: Counter, { scope }: Window, log: Log, taken: number): Taken['giveBack'] =>
  async (units = taken) => {
    try {
      if (units > 0) await counter.giveBack(units);
    } catch (cause) {
      log.error('units of a limit could not be given back', cause, { scope });
      log.count('LimitNotGivenBack');
    }
  };

/** An outage of the counter must not become an outage of the product, nor open the purse. */
export function uncounted({ scope, limit, unreachable }: Window, log: Log, cause: unknown): Taken {
  log.count('LimitNotCounted');
  if (unreachable === 'refuse') {
    throw new Problem(503, 'The request limits cannot be checked. Try again shortly.', {
      headers: { 'Retry-After': '1' },
      cause,
    });
  }
  log.error('a rate limit could not be counted; the call passes', cause, { scope });
  return { allowed: true, remaining: limit, resetSeconds: 0, giveBack: nothing };
}
