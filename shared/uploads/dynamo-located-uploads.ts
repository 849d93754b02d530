import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '../platform/clients.ts';
import { config } from '../platform/config.ts';
import { dynamoFoundUploads } from './dynamo-found-uploads.ts';
import type { LinkPorts } from './file-link.ts';
import { idsIn, type Key, shardOf } from './upload-item.ts';

/** Uploads for operators, who may know no more than a uuid: one shard of the index is read for it. */
export function dynamoLocatedUploads(): LinkPorts['uploads'] {
  const { find } = dynamoFoundUploads();
  return {
    find,
    locate: async (uuid) => {
      for (let start: Record<string, unknown> | undefined, first = true; first || start; first = false) {
        const page = await dynamo().send(
          new QueryCommand({
            TableName: config('uploadsTable'),
            IndexName: 'due',
            KeyConditionExpression: 'dueShard = :shard',
            FilterExpression: 'sk = :sk',
            ExpressionAttributeValues: { ':shard': shardOf(uuid), ':sk': `upload#${uuid}` },
            ExclusiveStartKey: start,
          }),
        );
        const [item] = page.Items ?? [];
        if (item !== undefined) return find(idsIn(item as Key).orgId, uuid);
        start = page.LastEvaluatedKey;
      }
      return undefined;
    },
  };
}
