import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys } from '../../platform/aws/query-due-index.ts';
import { readParsedItem } from '../../platform/aws/table-reader.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { PageWriteIntentRepository } from '../ports.ts';
import { formatIntentShard, intentKey, parseIntentKey } from './page-item.ts';

const DueItem = z.object({ dueAt: z.string() });

export function createDynamoPageWriteIntentRepository(): PageWriteIntentRepository {
  return {
    listDue: async (nowMs, limit) =>
      (await queryDueKeys('directoryTable', formatIntentShard, nowMs, limit)).map(parseIntentKey),
    getDueAtMs: async (intent) => {
      const found = await readParsedItem(DueItem, intentKey(intent), true);
      return found && Date.parse(found.dueAt);
    },
    deleteIfUnchanged: async (intent, dueAtMs) => {
      const deletion = new DeleteCommand({
        TableName: requireSetting('directoryTable'),
        Key: intentKey(intent),
        ConditionExpression: 'dueAt = :seen',
        ExpressionAttributeValues: { ':seen': formatDueAt(dueAtMs) },
      });
      await undefinedIfConditionFailed(dynamoDocumentClient().send(deletion));
    },
  };
}
