import { DeleteCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { prefixQuery } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { AssetReferenceRepository } from '../ports.ts';
import { pageAssetKey, pageReferenceKey } from './keys.ts';

const Shown = z.array(z.object({ key: z.string() }));
const Sharers = z.array(z.object({ sk: z.string() }));
const PREFIX = pageReferenceKey('', '').sk;

/** Who shows whose files, in the directory table. */
export const createDynamoAssetReferenceRepository = (): AssetReferenceRepository => ({
  listAssetKeys: async (pageId) => {
    const query = {
      ...prefixQuery(pageAssetKey(pageId, '')),
      ProjectionExpression: '#key',
      ExpressionAttributeNames: { '#key': 'key' },
    };
    const found: string[] = [];
    for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query)) {
      found.push(...Shown.parse(Items).map((asset) => asset.key));
    }
    return found;
  },
  listReferencingPages: async (pageId) => {
    const found: string[] = [];
    for await (const { Items = [] } of paginateQuery(
      { client: dynamoDocumentClient() },
      prefixQuery(pageReferenceKey(pageId, '')),
    )) {
      found.push(...Sharers.parse(Items).map(({ sk }) => sk.slice(PREFIX.length)));
    }
    return found;
  },
  deleteReference: async (ownerPageId, sharerPageId) => {
    const at = { TableName: requireSetting('directoryTable'), Key: pageReferenceKey(ownerPageId, sharerPageId) };
    await dynamoDocumentClient().send(new DeleteCommand(at));
  },
});
