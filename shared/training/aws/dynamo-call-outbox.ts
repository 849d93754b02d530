import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import { Score } from '../call.ts';
import type { CallOutbox } from '../ports.ts';
import { parseStoredJson } from '../stored-json.ts';
import { parseCallKey } from './call-item.ts';
import { SCORED_OUTBOX, trainingKey } from './training-table.ts';

const OutboxKeys = z.array(z.object({ pk: z.string(), sk: z.string(), outboxAt: z.string() }));

const ScoredCallItem = z.object({
  userId: z.string(),
  caseId: z.string(),
  personaId: z.string(),
  durationSeconds: z._default(z.nullable(z.int()), null),
  createdAt: z.string(),
  score: z.string(),
  scoredAt: z.string(),
  outboxAt: z.optional(z.string()),
});

/** Stores the outbox in the index `outbox` of the training table. The methods throw the SDK's errors. */
export const createDynamoCallOutbox = (): CallOutbox => ({
  listDue: async (nowMs, limit) => {
    const query = new QueryCommand({
      TableName: requireSetting('trainingTable'),
      IndexName: 'outbox',
      KeyConditionExpression: 'outboxShard = :shard AND outboxAt <= :now',
      ExpressionAttributeValues: { ':shard': SCORED_OUTBOX, ':now': formatDueAt(nowMs) },
      Limit: limit,
    });
    const keys = OutboxKeys.parse((await dynamoDocumentClient().send(query)).Items ?? []);
    return {
      due: keys.map((key) => ({ ...parseCallKey(key), dueAt: key.outboxAt })),
      isLast: keys.length < limit,
    };
  },
  read: async (ids) => {
    const get = new GetCommand({ ...tableAndKey(ids), ConsistentRead: true });
    const { Item } = await dynamoDocumentClient().send(get);
    if (Item?.scoredAt === undefined) return undefined;
    const { outboxAt, score, ...call } = ScoredCallItem.parse(Item);
    return {
      state: { ...call, score: parseStoredJson(Score, score, `The score of the call ${ids.callId}`) },
      isInOutbox: outboxAt !== undefined,
    };
  },
  clear: async (ids) => {
    const update = new UpdateCommand({
      ...tableAndKey(ids),
      UpdateExpression: 'REMOVE outboxShard, outboxAt',
      ConditionExpression: 'attribute_exists(outboxAt)',
    });
    return (await undefinedIfConditionFailed(dynamoDocumentClient().send(update))) !== undefined;
  },
});

const tableAndKey = (ids: Parameters<CallOutbox['read']>[0]) => ({
  TableName: requireSetting('trainingTable'),
  Key: trainingKey.call(ids),
});
