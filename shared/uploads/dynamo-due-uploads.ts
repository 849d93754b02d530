import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '../platform/clients.ts';
import { conditionally } from '../platform/conditionally.ts';
import { config } from '../platform/config.ts';
import { dueKeys } from '../platform/due-index.ts';
import { dueAt } from '../platform/due-time.ts';
import type { DueUploads } from './sweep-uploads.ts';
import { idsIn, itemKey, shardName } from './upload-item.ts';

/** Uploads by the time at which they are due, through a sparse index that is sharded by hand. */
export function dynamoDueUploads(): DueUploads {
  return {
    due: async (nowMs, most) => (await dueKeys('uploadsTable', shardName, nowMs, most)).map(idsIn),
    change: async (upload, { state = upload.state, inspected = upload.inspected, dueAtMs, forgets }) => {
      const removed = [...(inspected ? ['lookAt'] : []), ...(forgets ? [forgets] : [])];
      const update = new UpdateCommand({
        TableName: config('uploadsTable'),
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
        TableName: config('uploadsTable'),
        Key: itemKey(upload),
        ConditionExpression: '#state = :removing',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':removing': 'removing' },
      });
      await conditionally(dynamo().send(removal));
    },
  };
}
