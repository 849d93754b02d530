import type { Clock } from '../../platform/clock.ts';
import type { RateLimitPolicy } from '../../platform/rate-limiter.ts';
import {
  itemKey,
  noRefund,
  number,
  type RateLimitCounter,
  RETENTION_SECONDS,
  readCounter,
  updateCounter,
} from './rate-limit-counter.ts';

/** A pause that begins with each take. */
export function createCooldownCounter(
  { name: scope, partitionKey: key, windowSeconds }: RateLimitPolicy,
  clock: Clock,
): RateLimitCounter {
  const nowMs = clock.now();
  const endMs = nowMs + windowSeconds * 1_000;
  const at = itemKey(`${scope}#${key}`, 'pause');
  return {
    consume: async (giveBack) => {
      const taken = await updateCounter(at, {
        UpdateExpression: 'SET endMs = :endMs, expiresAt = :end',
        ConditionExpression: 'attribute_not_exists(endMs) OR endMs <= :now',
        ExpressionAttributeValues: {
          ':endMs': number(endMs),
          ':now': number(nowMs),
          ':end': number(Math.ceil(endMs / 1_000) + RETENTION_SECONDS),
        },
      });
      if (taken !== undefined) return { allowed: true, remaining: 0, resetSeconds: windowSeconds, refund: giveBack };
      const counter = await readCounter(at);
      const resetSeconds = Math.max(0, Number(counter?.endMs?.N ?? nowMs) - nowMs) / 1_000;
      return { allowed: false, remaining: 0, resetSeconds, refund: noRefund };
    },
    giveBack: () =>
      updateCounter(at, {
        UpdateExpression: 'SET endMs = :none',
        ConditionExpression: 'endMs = :endMs',
        ExpressionAttributeValues: { ':none': number(0), ':endMs': number(endMs) },
      }),
  };
}
