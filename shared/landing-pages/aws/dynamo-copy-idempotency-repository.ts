import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type PrimaryKey, readParsedItem } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { CopyIdempotencyKey, CopyIdempotencyRepository } from '../ports.ts';

const StoredRecord = z.object({
  orgId: z.string(),
  pageId: z.string(),
  bodyHash: z.string(),
  leaseUntilMs: z.number(),
  expiresAtMs: z.number(),
  state: z.enum(['copying', 'copied', 'failed']),
});

const UNAVAILABLE = 'Landing pages cannot be copied. Try again shortly.';

export function createDynamoCopyIdempotencyRepository(): CopyIdempotencyRepository {
  return {
    find: (key) => readParsedItem(StoredRecord, recordKey(key), true),
    put: async (key, record, seen) => {
      const write = new PutCommand({
        TableName: requireSetting('directoryTable'),
        Item: { ...recordKey(key), ...record, expiresAt: Math.ceil(record.expiresAtMs / 1_000) },
        ...(seen === undefined
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : { ConditionExpression: 'pageId = :seen', ExpressionAttributeValues: { ':seen': seen.pageId } }),
      });
      return (
        (await rethrowAsUnavailable(UNAVAILABLE, () =>
          undefinedIfConditionFailed(dynamoDocumentClient().send(write)),
        )) !== undefined
      );
    },
    complete: async (key, pageId, state) => {
      const update = new UpdateCommand({
        TableName: requireSetting('directoryTable'),
        Key: recordKey(key),
        UpdateExpression: 'SET #state = :state',
        ConditionExpression: 'pageId = :page',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':state': state, ':page': pageId },
      });
      await rethrowAsUnavailable(UNAVAILABLE, () => undefinedIfConditionFailed(dynamoDocumentClient().send(update)));
    },
  };
}

const recordKey = ({ sourcePageId, userId, key }: CopyIdempotencyKey): PrimaryKey => ({
  pk: `page#${sourcePageId}`,
  sk: `copy#${userId}#${key}`,
});
