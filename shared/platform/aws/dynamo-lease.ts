import { GetCommand, PutCommand, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { ErasureCheckpoint } from '../../analytics/erasure/erase-late-events.ts';
import type { LeaseRepository, LeaseState } from '../lease.ts';
import { requireSetting } from '../settings.ts';
import { undefinedIfConditionFailed } from './conditional-write.ts';
import { dynamoDocumentClient } from './dynamo-client.ts';

const HoldingItem = z.object({ holder: z.string(), beat: z.string(), owner: z.optional(z.string()) });
const RunItem = z.object({ endedMs: z.number() });

/** Beside the funnels' partitions: files of raw events hold those of all funnels. */
const TURN = { pk: 'upkeep', sk: 'turn' };
const LATE_RUN = { pk: 'upkeep', sk: 'erase-late' };

/** Whose turn it is, as an item of the analytics table. */
export function createDynamoLeaseRepository(): LeaseRepository {
  const putIf = async (next: LeaseState, condition: Condition) =>
    (await undefinedIfConditionFailed(put({ ...TURN, ...next }, condition))) !== undefined;
  return {
    read: async () => {
      const item = await itemAt(TURN);
      return item === undefined ? undefined : HoldingItem.parse(item);
    },
    tryAcquire: (seen, own) => putIf(own, seen === undefined ? ABSENT : standing(seen)),
    renew: (own) => putIf(own, heldBy(own)),
    release: async (own, beat) => void (await putIf({ holder: '', beat }, heldBy(own))),
  };
}

/** When late events were last seen to. */
export const createDynamoErasureCheckpoint = (): ErasureCheckpoint => ({
  load: async () => {
    const item = await itemAt(LATE_RUN);
    return item === undefined ? undefined : RunItem.parse(item).endedMs;
  },
  save: async (endedMs) => void (await put({ ...LATE_RUN, endedMs })),
});

type Condition = Pick<PutCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;

const ABSENT: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };
const standing = ({ holder, beat }: LeaseState): Condition => ({
  ConditionExpression: 'holder = :holder AND beat = :beat',
  ExpressionAttributeValues: { ':holder': holder, ':beat': beat },
});
const heldBy = ({ holder }: LeaseState): Condition => ({
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
