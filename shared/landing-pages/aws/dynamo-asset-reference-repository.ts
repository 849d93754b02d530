import { DeleteCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { prefixQuery } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { AssetReferenceRepository } from '../ports.ts';
import { pageAssetKey, pageReferenceKey } from './keys.ts';

const AssetItems = z.array(z.object({ key: z.string() }));
const ReferenceItems = z.array(z.object({ sk: z.string() }));
const REFERENCE_PREFIX = pageReferenceKey('', '').sk;

export const createDynamoAssetReferenceRepository = (): AssetReferenceRepository => ({
  listAssetKeys: async (pageId) => {
    const query = {
      ...prefixQuery(pageAssetKey(pageId, '')),
      ProjectionExpression: '#key',
      ExpressionAttributeNames: { '#key': 'key' },
    };
    const keys: string[] = [];
    for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query)) {
      keys.push(...AssetItems.parse(Items).map((asset) => asset.key));
    }
    return keys;
  },
  listReferencingPages: async (pageId) => {
    const pageIds: string[] = [];
    for await (const { Items = [] } of paginateQuery(
      { client: dynamoDocumentClient() },
      prefixQuery(pageReferenceKey(pageId, '')),
    )) {
      pageIds.push(...ReferenceItems.parse(Items).map(({ sk }) => sk.slice(REFERENCE_PREFIX.length)));
    }
    return pageIds;
  },
  deleteReference: async (ownerPageId, referencingPageId) => {
    const Key = pageReferenceKey(ownerPageId, referencingPageId);
    await dynamoDocumentClient().send(new DeleteCommand({ TableName: requireSetting('directoryTable'), Key }));
  },
});
