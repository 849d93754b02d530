import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { Problem } from '../http/problem.ts';
import { plainDynamo } from '../platform/clients.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { config } from '../platform/config.ts';
import type { Log } from '../platform/log.ts';
import type { Limiter, LimitReader, Taken, Window } from './limiter.ts';

/** Counters outlive their window a little, for whoever looks into an incident. */
const KEPT_SECONDS = 3_600;

/**
 * Counters in the limits table: one write a take, whose own condition refuses what does not fit, so that parallel
 * takes can't exceed a limit and a refused one leaves no trace.
 */
export function dynamoLimiter(clock: Clock = systemClock): Limiter & LimitReader {
  return {
    take: async (window, log, units = 1) => {
      const counter = window.from === 'take' ? pauseOf(window, clock) : counterOf(window, clock, units);
      try {
        return await counter.take(giveBackWith(counter, window, log, units));
      } catch (cause) {
        return uncounted(window, log, cause);
      }
    },
    peek: async (window, log) => {
      const { at, resetSeconds } = fixedWindow(window, clock);
      try {
        const { Item } = await plainDynamo().send(new GetItemCommand({ ...at, ConsistentRead: true }));
        return { remaining: Math.max(0, window.limit - Number(Item?.calls?.N ?? 0)), resetSeconds };
      } catch (cause) {
        return uncounted(window, log, cause);
      }
    },
  };
}

type GiveBack = Taken['giveBack'];
type Counter = { take(giveBack: GiveBack): Promise<Taken>; giveBack(units: number): Promise<unknown> };

/** The window that goes on now. */
function fixedWindow({ scope, key, windowSeconds }: Window, clock: Clock) {
  const nowSeconds = clock.now() / 1_000;
  const start = Math.floor(nowSeconds / windowSeconds) * windowSeconds;
  const resetSeconds = start + windowSeconds - nowSeconds;
  return { at: itemKey(`${scope}#${key}`, `window#${start}`), start, resetSeconds };
}

/** A fixed window's count. */
function counterOf(window: Window, clock: Clock, units: number): Counter {
  const { limit, windowSeconds } = window;
  const { at, start, resetSeconds } = fixedWindow(window, clock);
  return {
    take: async (giveBack) => {
      if (units > limit) return { allowed: false, remaining: limit, resetSeconds, giveBack: nothing };
      const counted = await update(at, {
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
    giveBack: (given) =>
      update(at, {
        UpdateExpression: 'ADD calls :minus',
        ConditionExpression: 'calls >= :given',
        ExpressionAttributeValues: { ':minus': number(-given), ':given': number(given) },
      }),
  };
}

/** A pause that begins with each take. */
function pauseOf({ scope, key, windowSeconds }: Window, clock: Clock): Counter {
  const nowMs = clock.now();
  const endMs = nowMs + windowSeconds * 1_000;
  const at = itemKey(`${scope}#${key}`, 'pause');
  return {
    take: async (giveBack) => {
      const taken = await update(at, {
        UpdateExpression: 'SET endMs = :endMs, expiresAt = :end',
        ConditionExpression: 'attribute_not_exists(endMs) OR endMs <= :now',
        ExpressionAttributeValues: {
          ':endMs': number(endMs),
          ':now': number(nowMs),
          ':end': number(Math.ceil(endMs / 1_000) + KEPT_SECONDS),
        },
      });
      if (taken !== undefined) return { allowed: true, remaining: 0, resetSeconds: windowSeconds, giveBack };
      const { Item } = await plainDynamo().send(new GetItemCommand({ ...at, ConsistentRead: true }));
      const resetSeconds = Math.max(0, Number(Item?.endMs?.N ?? nowMs) - nowMs) / 1_000;
      return { allowed: false, remaining: 0, resetSeconds, giveBack: nothing };
    },
    giveBack: () =>
      update(at, {
        UpdateExpression: 'SET endMs = :none',
        ConditionExpression: 'endMs = :endMs',
        ExpressionAttributeValues: { ':none': number(0), ':endMs': number(endMs) },
      }),
  };
}

const nothing: GiveBack = async () => undefined;
const number = (value: number): AttributeValue => ({ N: `${value}` });
const itemKey = (pk: string, sk: string) => ({
  TableName: config('limitsTable'),
  Key: { pk: { S: pk }, sk: { S: sk } },
});

type Change = Pick<
  ConstructorParameters<typeof UpdateItemCommand>[0],
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeValues'
>;

/** The attributes that were changed, or undefined when the condition did not hold. */
async function update(at: ReturnType<typeof itemKey>, change: Change) {
  try {
    const answer = await plainDynamo().send(new UpdateItemCommand({ ...at, ...change, ReturnValues: 'UPDATED_NEW' }));
    return answer.Attributes ?? {};
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return undefined;
    throw error;
  }
}

/** Units that can't be given back stay counted until their window ends: the safe side. */
const giveBackWith =
  (counter: Counter, { scope }: Window, log: Log, taken: number): GiveBack =>
  async (units = taken) => {
    try {
      if (units > 0) await counter.giveBack(units);
    } catch (cause) {
      log.error('units of a limit could not be given back', cause, { scope });
      log.count('LimitNotGivenBack');
    }
  };

/** An outage of the counter must not become an outage of the product, nor open the purse. */
function uncounted({ scope, limit, unreachable }: Window, log: Log, cause: unknown): Taken {
  log.count('LimitNotCounted');
  if (unreachable === 'refuse') {
    throw new Problem(503, 'This can not be allowed right now; try again shortly.', {
      headers: { 'Retry-After': '1' },
      cause,
    });
  }
  log.error('a rate limit could not be counted; the call passes', cause, { scope });
  return { allowed: true, remaining: limit, resetSeconds: 0, giveBack: nothing };
}
