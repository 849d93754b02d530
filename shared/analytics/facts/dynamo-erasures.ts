import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { dynamo } from '../../platform/clients.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { config } from '../../platform/config.ts';
import { ERASED_PREFIX, erasedKey, FRESH_PREFIX, keyOf, pagesOf, pkOf, waiting } from './dynamo-waiting.ts';
import { ERASED_DAYS, type Erasures } from './erasures.ts';
import { decodeFacts } from './fact-codec.ts';

const WRITES_AT_ONCE = 25;
/** DynamoDB's TTL removes items hours after their time: a session is erased a little longer. */
const ERASED_SECONDS = ERASED_DAYS * 86_400;

const FreshItem = z.object({ sk: z.string(), facts: z.instanceof(Uint8Array) });

/** An item for each session, in its funnel's partition: the key is derived, so that it holds no personal data. */
export function dynamoErasures(clock: Clock = systemClock): Omit<Erasures, 'all'> {
  return {
    add: async (funnelId, sessionKeys) => {
      const expiresAt = Math.ceil(clock.now() / 1_000) + ERASED_SECONDS;
      const put = (key: bigint) => {
        const shard = Number(BigInt.asUintN(8, key));
        const Item = {
          ...{ ...keyOf(funnelId, `${ERASED_PREFIX}${key}`), expiresAt },
          ...waiting('erased', shard, clock.now()),
        };
        return dynamo().send(new PutCommand({ TableName: config('analyticsTable'), Item }));
      };
      for (let at = 0; at < sessionKeys.length; at += WRITES_AT_ONCE)
        await Promise.all(sessionKeys.slice(at, at + WRITES_AT_ONCE).map(put));
    },
    keys: async (funnelId) => {
      const keys: bigint[] = [];
      for await (const page of itemsUnder(funnelId, ERASED_PREFIX))
        for (const { sk } of page) keys.push(erasedKey(String(sk)));
      return keys;
    },
    freshItems: async function* (funnelId, sessionKeys) {
      for await (const page of itemsUnder(funnelId, FRESH_PREFIX)) {
        for (const item of page) {
          const { sk: ref, facts: bytes } = FreshItem.parse(item);
          const facts = decodeFacts(bytes);
          const others = facts.filter(({ sessionKey }) => !sessionKeys.has(sessionKey));
          if (others.length < facts.length) yield { ref, erased: facts.length - others.length, others };
        }
      }
    },
  };
}

const itemsUnder = (funnelId: string, prefix: string) =>
  pagesOf({
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pkOf(funnelId), ':prefix': prefix },
  });
