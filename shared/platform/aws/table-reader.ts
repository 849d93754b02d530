import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { requireSetting } from '../settings.ts';
import { rethrowAsUnavailable } from '../unavailable.ts';
import type { PrimaryKey } from './directory-keys.ts';
import { dynamoDocumentClient } from './dynamo-client.ts';

/** How long a pointer may be out of date: which version is published, what an organization is called. */
export const REFERENCE_CACHE_TTL_MS = 30_000;
export const REFERENCE_CACHE_ENTRIES_MAX = 1_000;

export type { PrimaryKey } from './directory-keys.ts';

/** For bundles that count every byte, `import * as key` of the file itself: through here, all come along. */
export * as key from './directory-keys.ts';

/** A query of all records whose keys begin so, as they are now. */
export const prefixQuery = ({ pk, sk }: PrimaryKey) => ({
  TableName: requireSetting('directoryTable'),
  KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
  ExpressionAttributeValues: { ':pk': pk, ':prefix': sk },
  ConsistentRead: true,
});

/** @throws Problem 503 while the table is not available */
export async function readItem(at: PrimaryKey, consistent = false): Promise<Record<string, unknown> | undefined> {
  const get = new GetCommand({ TableName: requireSetting('directoryTable'), Key: at, ConsistentRead: consistent });
  const { Item } = await rethrowAsUnavailable('The directory cannot be read. Try again shortly.', () =>
    dynamoDocumentClient().send(get),
  );
  return Item;
}

/** A record in the shape that the schema gives it. @throws ZodError for a record that has another */
export async function readParsedItem<T>(
  schema: z.ZodMiniType<T>,
  at: PrimaryKey,
  consistent = false,
): Promise<T | undefined> {
  const item = await readItem(at, consistent);
  return item === undefined ? undefined : schema.parse(item);
}
