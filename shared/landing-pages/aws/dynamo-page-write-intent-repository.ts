import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys } from '../../platform/aws/query-due-index.ts';
import { readParsedItem } from '../../platform/aws/table-reader.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { PageWriteIntentRepository, RollBackPorts } from '../sweep-page-writes.ts';
import { batchDelete } from './batch-write.ts';
import { formatIntentShard, intentKey, parseIntentKey } from './page-item.ts';

const Due = z.object({ dueAt: z.string() });
const Keys = z.array(z.object({ pk: z.string(), sk: z.string() }));

/** Attempts in the directory table, through its index of what is due. */
export function createDynamoPageWriteIntentRepository(): PageWriteIntentRepository {
  return {
    listDue: async (nowMs, most) =>
      (await queryDueKeys('directoryTable', formatIntentShard, nowMs, most)).map(parseIntentKey),
    getDueAtMs: async (attempt) => {
      const found = await readParsedItem(Due, intentKey(attempt), true);
      return found && Date.parse(found.dueAt);
    },
    deleteIfUnchanged: async (attempt, dueAtMs) => {
      const removal = new DeleteCommand({
        TableName: requireSetting('directoryTable'),
        Key: intentKey(attempt),
        ConditionExpression: 'dueAt = :seen',
        ExpressionAttributeValues: { ':seen': formatDueAt(dueAtMs) },
      });
      await undefinedIfConditionFailed(dynamoDocumentClient().send(removal));
    },
  };
}

/** Removes the records of a page's blocks and assets. What keys stood for copies of it expires by itself: they are asked for again. */
export const deletePageParts: RollBackPorts['leftovers']['deleteParts'] = async (pageId) => {
  let from: Record<string, unknown> | undefined;
  do {
    const query = new QueryCommand({
      TableName: requireSetting('directoryTable'),
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :page AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':page': `page#${pageId}`, ':from': 'asset#', ':to': 'block$' },
      ProjectionExpression: 'pk, sk',
      ...(from !== undefined && { ExclusiveStartKey: from }),
    });
    const { Items, LastEvaluatedKey } = await dynamoDocumentClient().send(query);
    await batchDelete(Keys.parse(Items ?? []));
    from = LastEvaluatedKey;
  } while (from !== undefined);
};
