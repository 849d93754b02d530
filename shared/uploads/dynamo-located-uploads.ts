import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '../platform/clients.ts';
import { config } from '../platform/config.ts';
import { dynamoFoundUploads } from './dynamo-found-uploads.ts';
import type { LinkPorts } from './file-link.ts';
import { idsIn, type Key, RETRY_SHARD, shardOf } from './upload-item.ts';

/** Uploads for operators, who may know no more than a uuid: two shards of the index are read for it. */
export function dynamoLocatedUploads(): LinkPorts['uploads'] {
  const { find } = dynamoFoundUploads();
  return {
    find,
    locate: async (uuid) => {
      for (const shard of [shardOf(uuid), RETRY_SHARD]) {
        const at = await keyIn(shard, uuid);
        if (at !== undefined) return find(idsIn(at).orgId, uuid);
      }
      return undefined;
    },
  };
}

async function keyIn(shard: string, uuid: string): Promise<Key | undefined> {
  const query = {
    TableName: config('uploadsTable'),
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard',
    FilterExpression: 'sk = :sk',
    ExpressionAttributeValues: { ':shard': shard, ':sk': `upload#${uuid}` },
  };
  for await (const { Items = [] } of paginateQuery({ client: dynamo() }, query)) {
    const [item] = Items;
    if (item !== undefined) return item as Key;
  }
  return undefined;
}
