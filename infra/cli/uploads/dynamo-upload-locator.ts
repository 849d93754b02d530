import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { createDynamoUploadRepository } from '../../../shared/uploads/aws/dynamo-upload-repository.ts';
import {
  parseUploadKey,
  RETRY_SHARD,
  type UploadKey,
  uploadDueShardOf,
} from '../../../shared/uploads/aws/upload-item.ts';
import type { FileLinkPorts } from './file-link.ts';

/** Finds uploads by UUID. Without an organization, searches the two shards of the due index that may list the UUID. */
export function createDynamoUploadLocator(): FileLinkPorts['uploads'] {
  const { find } = createDynamoUploadRepository();
  return {
    find,
    findInAnyOrganization: async (uuid) => {
      for (const shard of [uploadDueShardOf(uuid), RETRY_SHARD]) {
        const key = await findKey(shard, uuid);
        if (key !== undefined) return find(parseUploadKey(key).orgId, uuid);
      }
      return undefined;
    },
  };
}

async function findKey(shard: string, uuid: string): Promise<UploadKey | undefined> {
  const query = {
    TableName: requireSetting('uploadsTable'),
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard',
    FilterExpression: 'sk = :sk',
    ExpressionAttributeValues: { ':shard': shard, ':sk': `upload#${uuid}` },
  };
  for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query)) {
    const [item] = Items;
    if (item !== undefined) return item as UploadKey;
  }
  return undefined;
}
