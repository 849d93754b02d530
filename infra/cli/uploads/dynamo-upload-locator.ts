import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { dynamoFoundUploads } from '../../../shared/uploads/aws/dynamo-found-uploads.ts';
import { type Key, parseUploadKey, RETRY_SHARD, uploadShard } from '../../../shared/uploads/aws/upload-item.ts';
import type { FileLinkPorts } from './file-link.ts';

/** Finds uploads by uuid alone, for operators; reads two shards of the index. */
export function createDynamoUploadLocator(): FileLinkPorts['uploads'] {
  const { find } = dynamoFoundUploads();
  return {
    find,
    findInAnyOrganization: async (uuid) => {
      for (const shard of [uploadShard(uuid), RETRY_SHARD]) {
        const at = await keyIn(shard, uuid);
        if (at !== undefined) return find(parseUploadKey(at).orgId, uuid);
      }
      return undefined;
    },
  };
}

async function keyIn(shard: string, uuid: string): Promise<Key | undefined> {
  const query = {
    TableName: requireSetting('uploadsTable'),
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard',
    FilterExpression: 'sk = :sk',
    ExpressionAttributeValues: { ':shard': shard, ':sk': `upload#${uuid}` },
  };
  for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query)) {
    const [item] = Items;
    if (item !== undefined) return item as Key;
  }
  return undefined;
}
