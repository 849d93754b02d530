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

/**
 * The counter of a policy with the `cooldown` algorithm. After an allowed request, denies every request for
 * `windowSeconds`, unless the allowed request is refunded. Ignores `limit`, because these policies always have a limit
 * of 1.
 */
export function createCooldownCounter(
  { name, partitionKey, windowSeconds }: RateLimitPolicy,
  clock: Clock,
): RateLimitCounter {
  const nowMs = clock.now();
  const endMs = nowMs + windowSeconds * 1_000;
  const key = itemKey(`${name}#${partitionKey}`, 'pause');
  return {
    consume: async (refund) => {
      const updated = await updateCounter(key, {
        UpdateExpression: 'SET endMs = :endMs, expiresAt = :end',
        ConditionExpression: 'attribute_not_exists(endMs) OR endMs <= :now',
        ExpressionAttributeValues: {
          ':endMs': number(endMs),
          ':now': number(nowMs),
          ':end': number(Math.ceil(endMs / 1_000) + RETENTION_SECONDS),
        },
      });
      if (updated !== undefined) return { allowed: true, remaining: 0, resetSeconds: windowSeconds, refund };
      const counter = await readCounter(key);
      const resetSeconds = Math.max(0, Number(counter?.endMs?.N ?? nowMs) - nowMs) / 1_000;
      return { allowed: false, remaining: 0, resetSeconds, refund: noRefund };
    },
    refund: () =>
      updateCounter(key, {
        UpdateExpression: 'SET endMs = :none',
        ConditionExpression: 'endMs = :endMs',
        ExpressionAttributeValues: { ':none': number(0), ':endMs': number(endMs) },
      }),
  };
}
