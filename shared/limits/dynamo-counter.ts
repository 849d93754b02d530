import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { plainDynamo } from '../platform/clients.ts';
import { conditionally } from '../platform/conditionally.ts';
import { config } from '../platform/config.ts';
import type { Taken } from './limiter.ts';

/** Counters outlive their window a little, for whoever looks into an incident. */
export const KEPT_SECONDS = 3_600;

/** One window as the limits table keeps it. */
export type Counter = { take(giveBack: Taken['giveBack']): Promise<Taken>; giveBack(units: number): Promise<unknown> };

export const nothing: Taken['giveBack'] = async () => undefined;
export const number = (value: number): AttributeValue => ({ N: `${value}` });
export const itemKey = (pk: string, sk: string) => ({
  TableName: config('limitsTable'),
  Key: { pk: { S: pk }, sk: { S: sk } },
});

type Change = Pick<
  ConstructorParameters<typeof UpdateItemCommand>[0],
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeValues'
>;

/** The attributes that were changed, or undefined when the condition did not hold. */
export async function updateCounter(at: ReturnType<typeof itemKey>, change: Change) {
  const call = new UpdateItemCommand({ ...at, ...change, ReturnValues: 'UPDATED_NEW' });
  const answer = await conditionally(plainDynamo().send(call));
  return answer && (answer.Attributes ?? {});
}

/** The counter's attributes, strongly consistent. */
export async function readCounter(at: ReturnType<typeof itemKey>) {
  const { Item } = await plainDynamo().send(new GetItemCommand({ ...at, ConsistentRead: true }));
  return Item;
}
