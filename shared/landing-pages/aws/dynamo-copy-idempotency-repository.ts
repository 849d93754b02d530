import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { available } from '../../http/available.ts';
import { type PrimaryKey, readParsedItem } from '../../platform/aws/table-reader.ts';
import { dynamo } from '../../platform/clients.ts';
import { conditionally } from '../../platform/conditionally.ts';
import { config } from '../../platform/config.ts';
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
        TableName: config('directoryTable'),
        Item: { ...keyOf(place), ...claim, expiresAt: Math.ceil(claim.expiresAtMs / 1_000) },
        ...(seen === undefined
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : { ConditionExpression: 'pageId = :seen', ExpressionAttributeValues: { ':seen': seen.pageId } }),
      });
      return (await available(NOT_NOW, () => conditionally(dynamo().send(write)))) !== undefined;
    },
    complete: async (place, pageId, state) => {
      const update = new UpdateCommand({
        TableName: config('directoryTable'),
        Key: keyOf(place),
        UpdateExpression: 'SET #state = :state',
        ConditionExpression: 'pageId = :page',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':state': state, ':page': pageId },
      });
      await available(NOT_NOW, () => conditionally(dynamo().send(update)));
    },
  };
}

const keyOf = ({ sourcePageId, userId, key }: CopyIdempotencyKey): PrimaryKey => ({
  pk: `page#${sourcePageId}`,
  sk: `copy#${userId}#${key}`,
});
