import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import { available } from '../http/available.ts';
import { dynamo } from '../platform/clients.ts';
import { config } from '../platform/config.ts';

/** How long a pointer may be out of date: which version is published, what an organization is called. */
export const POINTER_MS = 30_000;
export const ENTRIES_MAX = 1_000;

export type Key = { pk: string; sk: string };

/** Where the directory table keeps what; a tenant's records start with the tenant, a funnel's and a page's with these. */
export const key = {
  organization: (orgId: string): Key => ({ pk: `org#${orgId}`, sk: 'organization' }),
  member: (orgId: string, userId: string): Key => ({ pk: `org#${orgId}`, sk: `member#${userId}` }),
  orgFunnel: (orgId: string, funnelId: string): Key => ({ pk: `org#${orgId}`, sk: `funnel#${funnelId}` }),
  block: (orgId: string, blockId: string): Key => ({ pk: `org#${orgId}`, sk: `block#${blockId}` }),
  upload: (orgId: string, uuid: string): Key => ({ pk: `org#${orgId}`, sk: `upload#${uuid}` }),
  funnel: (funnelId: string): Key => ({ pk: `funnel#${funnelId}`, sk: 'funnel' }),
  /** Lists all organizations to operators. */
  listedOrganization: (orgId: string): Key => ({ pk: 'organizations', sk: `org#${orgId}` }),
  page: (orgId: string, pageId: string): Key => ({ pk: `org#${orgId}`, sk: `page#${pageId}` }),
  pageBlock: (pageId: string, blockId: string): Key => ({ pk: `page#${pageId}`, sk: `block#${blockId}` }),
  pageAsset: (pageId: string, assetId: string): Key => ({ pk: `page#${pageId}`, sk: `asset#${assetId}` }),
  domain: (orgId: string, domainId: string): Key => ({ pk: `org#${orgId}`, sk: `domain#${domainId}` }),
  /** Global: one organization holds a hostname. The record tells which. */
  host: (hostname: string): Key => ({ pk: `host#${hostname}`, sk: 'host' }),
  version: (funnelId: string, versionId: string): Key => ({ pk: `funnel#${funnelId}`, sk: `version#${versionId}` }),
  /** What a version was made of; `draft` for what a funnel without one will be. */
  funnelFile: (funnelId: string, of: string): Key => ({ pk: `funnel#${funnelId}`, sk: `file#${of}` }),
};

/** A query of all records whose keys begin so, as they are now. */
export const beginningWith = ({ pk, sk }: Key) => ({
  TableName: config('directoryTable'),
  KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
  ExpressionAttributeValues: { ':pk': pk, ':prefix': sk },
  ConsistentRead: true,
});

/** @throws Problem 503 while the table is not available */
export async function readRecord(at: Key, consistent = false): Promise<Record<string, unknown> | undefined> {
  const get = new GetCommand({ TableName: config('directoryTable'), Key: at, ConsistentRead: consistent });
  const { Item } = await available('The directory can not be read right now.', () => dynamo().send(get));
  return Item;
}

/** A record in the shape that the schema gives it. @throws ZodError for a record that has another */
export async function readRecordAs<T>(schema: z.ZodType<T>, at: Key, consistent = false): Promise<T | undefined> {
  const item = await readRecord(at, consistent);
  return item === undefined ? undefined : schema.parse(item);
}
