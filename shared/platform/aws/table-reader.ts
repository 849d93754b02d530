import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import type { Clock } from '../clock.ts';
import { requireSetting } from '../settings.ts';
import { createTtlCache } from '../ttl-cache.ts';
import { rethrowAsUnavailable } from '../unavailable.ts';
import { dynamoDocumentClient } from './dynamo-client.ts';

export type PrimaryKey = { pk: string; sk: string };

/**
 * How long an item is cached. If the item changes in the meantime, for example because a funnel is published, the
 * cached item is still used.
 */
const REFERENCE_CACHE_TTL_MS = 30_000;
export const REFERENCE_CACHE_ENTRIES_MAX = 1_000;

export const createReferenceCache = <T>(clock: Clock) =>
  createTtlCache<T>({ clock, ttlMs: REFERENCE_CACHE_TTL_MS, entriesMax: REFERENCE_CACHE_ENTRIES_MAX });

/** Returns the input of a strongly consistent query of the directory table by partition key and sort key prefix. */
export const prefixQuery = ({ pk, sk }: PrimaryKey) => ({
  TableName: requireSetting('directoryTable'),
  KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
  ExpressionAttributeValues: { ':pk': pk, ':prefix': sk },
  ConsistentRead: true,
});

/** Reads an item of the directory table. @throws UnavailableError if the table is not available */
export async function readItem(key: PrimaryKey, consistent = false): Promise<Record<string, unknown> | undefined> {
  const get = new GetCommand({ TableName: requireSetting('directoryTable'), Key: key, ConsistentRead: consistent });
  const { Item } = await rethrowAsUnavailable('The directory table cannot be read. Try again shortly.', () =>
    dynamoDocumentClient().send(get),
  );
  return Item;
}

/**
 * Reads and parses an item of the directory table.
 *
 * @throws UnavailableError if the table is not available; ZodError if the item does not match the schema
 */
export async function readParsedItem<T>(
  schema: z.ZodMiniType<T>,
  key: PrimaryKey,
  consistent = false,
): Promise<T | undefined> {
  const item = await readItem(key, consistent);
  return item === undefined ? undefined : schema.parse(item);
}
