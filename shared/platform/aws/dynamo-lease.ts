import { GetCommand, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { LeaseRepository, LeaseState } from '../lease.ts';
import { requireSetting, type SettingName } from '../settings.ts';
import { undefinedIfConditionFailed } from './conditional-write.ts';
import { dynamoDocumentClient } from './dynamo-client.ts';

const LeaseItem = z.object({ holder: z.string(), beat: z.string(), owner: z.optional(z.string()) });

type Condition = Pick<PutCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;

/** Stores a lease as one item of a table. @param table the setting that names the table */
export function createDynamoLeaseRepository(table: SettingName, key: { pk: string; sk: string }): LeaseRepository {
  const putIf = async ({ heartbeatId, ...state }: LeaseState, condition: Condition) => {
    const Item = { ...key, ...state, beat: heartbeatId };
    const put = new PutCommand({ TableName: requireSetting(table), Item, ...condition });
    return (await undefinedIfConditionFailed(dynamoDocumentClient().send(put))) !== undefined;
  };
  return {
    read: async () => {
      const get = new GetCommand({ TableName: requireSetting(table), Key: key, ConsistentRead: true });
      const { Item } = await dynamoDocumentClient().send(get);
      if (Item === undefined) return undefined;
      const { beat: heartbeatId, ...state } = LeaseItem.parse(Item);
      return { ...state, heartbeatId };
    },
    tryAcquire: (seen, own) => putIf(own, seen === undefined ? IS_ABSENT : isUnchanged(seen)),
    renew: (own) => putIf(own, isHeldBy(own)),
    release: async (own, heartbeatId) => void (await putIf({ holder: '', heartbeatId }, isHeldBy(own))),
  };
}

const IS_ABSENT: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };
const isUnchanged = ({ holder, heartbeatId }: LeaseState): Condition => ({
  ConditionExpression: 'holder = :holder AND beat = :beat',
  ExpressionAttributeValues: { ':holder': holder, ':beat': heartbeatId },
});
const isHeldBy = ({ holder }: LeaseState): Condition => ({
  ConditionExpression: 'holder = :holder',
  ExpressionAttributeValues: { ':holder': holder },
});
