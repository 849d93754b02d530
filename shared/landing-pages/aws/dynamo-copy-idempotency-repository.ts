import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type PrimaryKey, readParsedItem } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { CopyIdempotencyKey, CopyIdempotencyRepository } from '../copy-idempotency.ts';

const StoredClaim = z.object({
  orgId: z.string(),
  pageId: z.string(),
  bodyHash: z.string(),
  leaseUntilMs: z.number(),
  expiresAtMs: z.number(),
  state: z.enum(['copying', 'copied', 'failed']),
});

const NOT_NOW = 'Landing pages cannot be copied. Try again shortly.';

/** Claims in the directory table. @throws Problem 503 while it is not available */
export function createDynamoCopyIdempotencyRepository(): CopyIdempotencyRepository {
  return {
    find: (place) => readParsedItem(StoredClaim, keyOf(place), true),
    put: async (place, claim, seen) => {
      const write = new PutCommand({
        TableName: requireSetting('directoryTable'),
        Item: { ...keyOf(place), ...claim, expiresAt: Math.ceil(claim.expiresAtMs / 1_000) },
        ...(seen === undefined
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : { ConditionExpression: 'pageId = :seen', ExpressionAttributeValues: { ':seen': seen.pageId } }),
      });
      return (
        (await rethrowAsUnavailable(NOT_NOW, () => undefinedIfConditionFailed(dynamoDocumentClient().send(write)))) !==
        undefined
      );
    },
    complete: async (place, pageId, state) => {
      const update = new UpdateCommand({
        TableName: requireSetting('directoryTable'),
        Key: keyOf(place),
        UpdateExpression: 'SET #state = :state',
        ConditionExpression: 'pageId = :page',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':state': state, ':page': pageId },
      });
      await rethrowAsUnavailable(NOT_NOW, () => undefinedIfConditionFailed(dynamoDocumentClient().send(update)));
    },
  };
}

const keyOf = ({ sourcePageId, userId, key }: CopyIdempotencyKey): PrimaryKey => ({
  pk: `page#${sourcePageId}`,
  sk: `copy#${userId}#${key}`,
});
