import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoClient } from '../../platform/aws/dynamo-client.ts';
import type { RateLimitResult } from '../../platform/rate-limiter.ts';
import { requireSetting } from '../../platform/settings.ts';

/** Counters outlive their window a little, for whoever looks into an incident. */
export const RETENTION_SECONDS = 3_600;

/** One window as the limits table keeps it. */
export type RateLimitCounter = {
  consume(refund: RateLimitResult['refund']): Promise<RateLimitResult>;
  giveBack(units: number): Promise<unknown>;
};

export const noRefund: RateLimitResult['refund'] = async () => undefined;
export const number = (value: number): AttributeValue => ({ N: `${value}` });
export const itemKey = (pk: string, sk: string) => ({
  TableName: requireSetting('limitsTable'),
  Key: { pk: { S: pk }, sk: { S: sk } },
});

type Change = Pick<
  ConstructorParameters<typeof UpdateItemCommand>[0],
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeValues'
>;

/** The attributes that were changed, or undefined when the condition did not hold. */
export async function updateCounter(at: ReturnType<typeof itemKey>, change: Change) {
  const call = new UpdateItemCommand({ ...at, ...change, ReturnValues: 'UPDATED_NEW' });
  const answer = await undefinedIfConditionFailed(dynamoClient().send(call));
  return answer && (answer.Attributes ?? {});
}

/** The counter's attributes, strongly consistent. */
export async function readCounter(at: ReturnType<typeof itemKey>) {
  const { Item } = await dynamoClient().send(new GetItemCommand({ ...at, ConsistentRead: true }));
  return Item;
}
