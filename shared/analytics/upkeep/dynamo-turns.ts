import { GetCommand, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { LateRuns } from './erase-late.ts';
import type { Holding, TurnRecord } from './turns.ts';

const HoldingItem = z.object({ holder: z.string(), beat: z.string(), owner: z.optional(z.string()) });
const RunItem = z.object({ endedMs: z.number() });

/** Beside the funnels' partitions: files of raw events hold those of all funnels. */
const TURN = { pk: 'upkeep', sk: 'turn' };
const LATE_RUN = { pk: 'upkeep', sk: 'erase-late' };

/** Whose turn it is, as an item of the analytics table. */
export function dynamoTurnRecord(): TurnRecord {
  const putIf = async (next: Holding, condition: Condition) =>
    (await undefinedIfConditionFailed(put({ ...TURN, ...next }, condition))) !== undefined;
  return {
    read: async () => {
      const item = await itemAt(TURN);
      return item === undefined ? undefined : HoldingItem.parse(item);
    },
    take: (seen, own) => putIf(own, seen === undefined ? ABSENT : standing(seen)),
    keep: (own) => putIf(own, heldBy(own)),
    give: async (own, beat) => void (await putIf({ holder: '', beat }, heldBy(own))),
  };
}

/** When late events were last seen to. */
export const dynamoLateRuns = (): LateRuns => ({
  lastMs: async () => {
    const item = await itemAt(LATE_RUN);
    return item === undefined ? undefined : RunItem.parse(item).endedMs;
  },
  note: async (endedMs) => void (await put({ ...LATE_RUN, endedMs })),
});

type Condition = Pick<PutCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;

const ABSENT: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };
const standing = ({ holder, beat }: Holding): Condition => ({
  ConditionExpression: 'holder = :holder AND beat = :beat',
  ExpressionAttributeValues: { ':holder': holder, ':beat': beat },
});
const heldBy = ({ holder }: Holding): Condition => ({
  ConditionExpression: 'holder = :holder',
  ExpressionAttributeValues: { ':holder': holder },
});

const put = (Item: PutCommandInput['Item'], condition: Condition = {}) =>
  dynamoDocumentClient().send(new PutCommand({ TableName: requireSetting('analyticsTable'), Item, ...condition }));

const itemAt = async (Key: typeof TURN) =>
  (
    await dynamoDocumentClient().send(
      new GetCommand({ TableName: requireSetting('analyticsTable'), Key, ConsistentRead: true }),
    )
  ).Item;
