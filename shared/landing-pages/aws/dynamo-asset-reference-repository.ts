import { DeleteCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { key, prefixQuery } from '../../platform/aws/table-reader.ts';
import { dynamo } from '../../platform/clients.ts';
import { config } from '../../platform/config.ts';
import type { AssetReferenceRepository } from '../ports.ts';

const Shown = z.array(z.object({ key: z.string() }));
const Sharers = z.array(z.object({ sk: z.string() }));
const PREFIX = key.pageSharer('', '').sk;

/** Who shows whose files, in the directory table. */
export const createDynamoAssetReferenceRepository = (): AssetReferenceRepository => ({
  listAssetKeys: async (pageId) => {
    const query = {
      ...prefixQuery(key.pageAsset(pageId, '')),
      ProjectionExpression: '#key',
      ExpressionAttributeNames: { '#key': 'key' },
    };
    const found: string[] = [];
    for await (const { Items = [] } of paginateQuery({ client: dynamo() }, query)) {
      found.push(...Shown.parse(Items).map((asset) => asset.key));
    }
    return found;
  },
  listReferencingPages: async (pageId) => {
    const found: string[] = [];
    for await (const { Items = [] } of paginateQuery({ client: dynamo() }, prefixQuery(key.pageSharer(pageId, '')))) {
      found.push(...Sharers.parse(Items).map(({ sk }) => sk.slice(PREFIX.length)));
    }
    return found;
  },
  deleteReference: async (ownerPageId, sharerPageId) => {
    const at = { TableName: config('directoryTable'), Key: key.pageSharer(ownerPageId, sharerPageId) };
    await dynamo().send(new DeleteCommand(at));
  },
});
