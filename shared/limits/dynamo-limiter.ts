import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '../platform/clients.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { config } from '../platform/config.ts';
import type { Limiter, Window } from './limiter.ts';

/** Counters outlive their window a little, for whoever looks into an incident. */
const KEPT_SECONDS = 3_600;

/**
 * One write a call. When the table can't be reached the call passes: these limits guard fairness between users, and
 * an outage of the counter must not become an outage of the product.
 */
export function dynamoLimiter(clock: Clock = systemClock): Limiter {
  return {
    count: async (window, log) => {
      const nowSeconds = clock.now() / 1_000;
      const start = Math.floor(nowSeconds / window.windowSeconds) * window.windowSeconds;
      const resetSeconds = start + window.windowSeconds - nowSeconds;
      try {
        return { allowed: (await add(window, start)) <= window.limit, resetSeconds };
      } catch (cause) {
        log.error('a rate limit could not be counted; the call passes', cause, { scope: window.scope });
        log.count('LimitNotCounted');
        return { allowed: true, resetSeconds };
      }
    },
  };
}

async function add({ scope, key, windowSeconds }: Window, start: number): Promise<number> {
  const answer = await dynamo().send(
    new UpdateCommand({
      TableName: config('limitsTable'),
      Key: { pk: `${scope}#${key}`, sk: `window#${start}` },
      UpdateExpression: 'ADD calls :one SET expiresAt = :end',
      ExpressionAttributeValues: { ':one': 1, ':end': start + windowSeconds + KEPT_SECONDS },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return Number(answer.Attributes?.calls);
}
