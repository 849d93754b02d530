import { DeleteCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ENTRIES_MAX, type Key } from '../directory/directory-table.ts';
import { dynamo } from '../platform/clients.ts';
import { conditionally } from '../platform/conditionally.ts';
import { config } from '../platform/config.ts';
import type { DueUploads } from './sweep-uploads.ts';
import { dueAt, idsIn, itemKey, SHARDS, shardName } from './upload-item.ts';

/** Uploads by the time at which they are due, through a sparse index that is sharded by hand. */
export function dynamoDueUploads(): DueUploads {
  return {
    due: async (nowMs, most) => {
      const perShard = Math.min(ENTRIES_MAX, Math.ceil(most / SHARDS));
      const shards = Array.from({ length: SHARDS }, (_, shard) => dueIn(shardName(shard), nowMs, perShard));
      return (await Promise.all(shards)).flat();
    },
    change: async (upload, { state = upload.state, inspected = upload.inspected, dueAtMs, forgets }) => {
      const removed = [...(inspected ? ['lookAt'] : []), ...(forgets ? [forgets] : [])];
      const update = new UpdateCommand({
        TableName: config('directoryTable'),
        Key: itemKey(upload),
        UpdateExpression: `SET #state = :state, inspected = :inspected, dueAt = :due${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''}`,
        ConditionExpression: 'dueAt = :seen AND #state = :from',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: {
          ':state': state,
          ':inspected': inspected,
          ':due': dueAt(dueAtMs),
          ':seen': dueAt(upload.dueAtMs),
          ':from': upload.state,
        },
      });
      return (await conditionally(dynamo().send(update))) !== undefined;
    },
    remove: async (upload) => {
      const removal = new DeleteCommand({
        TableName: config('directoryTable'),
        Key: itemKey(upload),
        ConditionExpression: '#state = :removing',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':removing': 'removing' },
      });
      await conditionally(dynamo().send(removal));
    },
  };
}

async function dueIn(shard: string, nowMs: number, most: number) {
  const query = new QueryCommand({
    TableName: config('directoryTable'),
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :now',
    ExpressionAttributeValues: { ':shard': shard, ':now': dueAt(nowMs) },
    Limit: most,
  });
  const { Items = [] } = await dynamo().send(query);
  return Items.map((item) => idsIn(item as Key));
}
