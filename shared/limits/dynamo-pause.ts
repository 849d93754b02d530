import type { Clock } from '../platform/clock.ts';
import { type Counter, itemKey, KEPT_SECONDS, nothing, number, readCounter, updateCounter } from './dynamo-counter.ts';
import type { Window } from './limiter.ts';

/** A pause that begins with each take. */
export function pauseOf({ scope, key, windowSeconds }: Window, clock: Clock): Counter {
  const nowMs = clock.now();
  const endMs = nowMs + windowSeconds * 1_000;
  const at = itemKey(`${scope}#${key}`, 'pause');
  return {
    take: async (giveBack) => {
      const taken = await updateCounter(at, {
        UpdateExpression: 'SET endMs = :endMs, expiresAt = :end',
        ConditionExpression: 'attribute_not_exists(endMs) OR endMs <= :now',
        ExpressionAttributeValues: {
          ':endMs': number(endMs),
          ':now': number(nowMs),
          ':end': number(Math.ceil(endMs / 1_000) + KEPT_SECONDS),
        },
      });
      if (taken !== undefined) return { allowed: true, remaining: 0, resetSeconds: windowSeconds, giveBack };
      const counter = await readCounter(at);
      const resetSeconds = Math.max(0, Number(counter?.endMs?.N ?? nowMs) - nowMs) / 1_000;
      return { allowed: false, remaining: 0, resetSeconds, giveBack: nothing };
    },
    giveBack: () =>
      updateCounter(at, {
        UpdateExpression: 'SET endMs = :none',
        ConditionExpression: 'endMs = :endMs',
        ExpressionAttributeValues: { ':none': number(0), ':endMs': number(endMs) },
      }),
  };
}
