import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoClient } from '../../platform/aws/dynamo-client.ts';
import type { RateLimitResult } from '../../platform/rate-limiter.ts';
import { requireSetting } from '../../platform/settings.ts';

/** Counters expire an hour after their window ends, so that incidents can be investigated. */
export const RETENTION_SECONDS = 3_600;

/** The counter of one window in the limits table. */
export type RateLimitCounter = {
  consume(refund: RateLimitResult['refund']): Promise<RateLimitResult>;
  refund(units: number): Promise<unknown>;
};

export const noRefund: RateLimitResult['refund'] = async () => undefined;
export const number = (value: number): AttributeValue => ({ N: `${value}` });
export const itemKey = (pk: string, sk: string) => ({
  TableName: requireSetting('limitsTable'),
  Key: { pk: { S: pk }, sk: { S: sk } },
});

type Update = Pick<
  ConstructorParameters<typeof UpdateItemCommand>[0],
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeValues'
>;

/** Returns the updated attributes, or undefined when the condition failed. */
export async function updateCounter(key: ReturnType<typeof itemKey>, update: Update) {
  const command = new UpdateItemCommand({ ...key, ...update, ReturnValues: 'UPDATED_NEW' });
  const result = await undefinedIfConditionFailed(dynamoClient().send(command));
  return result && (result.Attributes ?? {});
}

/** Reads with strong consistency. */
export async function readCounter(key: ReturnType<typeof itemKey>) {
  const { Item } = await dynamoClient().send(new GetItemCommand({ ...key, ConsistentRead: true }));
  return Item;
}
