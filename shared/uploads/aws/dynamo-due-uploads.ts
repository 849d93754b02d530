import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '../../platform/clients.ts';
import { conditionally } from '../../platform/conditionally.ts';
import { config } from '../../platform/config.ts';
import { dueKeys, dueKeysIn } from '../../platform/due-index.ts';
import { dueAt } from '../../platform/due-time.ts';
import type { DueUploads } from '../sweep-uploads.ts';
import { parseUploadKey, RETRY_SHARD, shardName, uploadKey, uploadShard } from './upload-item.ts';

/** Uploads by the time at which they are due, through a sparse index that is sharded by hand. */
export function dynamoDueUploads(): DueUploads {
  return {
    findDue: async (nowMs, most) => {
      const fresh = await dueKeys('uploadsTable', shardName, nowMs, most);
      return (fresh.length > 0 ? fresh : await dueKeysIn('uploadsTable', RETRY_SHARD, nowMs, most)).map(parseUploadKey);
    },
    update: async (upload, change) => {
      const { state = upload.state, inspected = upload.inspected, attempts = upload.attempts ?? 0, reason } = change;
      const isRetried = attempts > 0 && !inspected;
      const set = ['#state = :state', 'inspected = :inspected', 'dueAt = :due', 'dueShard = :shard'];
      // A submit that keeps the file meanwhile leaves the time of the next attempt as it is.
      if (isRetried) set.push('attempts = :attempts', 'lookAt = :due');
      if (reason !== undefined) set.push('reason = :reason');
      const removed = [
        ...(inspected ? ['lookAt', 'reservation'] : []),
        ...(isRetried ? [] : ['attempts']),
        ...(change.forgets ? [change.forgets] : []),
      ];
      const update = new UpdateCommand({
        TableName: config('uploadsTable'),
        Key: uploadKey(upload),
        UpdateExpression: `SET ${set.join(', ')}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''}`,
        ConditionExpression: 'dueAt = :seen AND #state = :from',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: {
          ':state': state,
          ':inspected': inspected,
          ':due': dueAt(change.dueAtMs),
          ':shard': isRetried ? RETRY_SHARD : uploadShard(upload.uuid),
          ...(isRetried && { ':attempts': attempts }),
          ...(reason && { ':reason': reason }),
          ':seen': dueAt(upload.dueAtMs),
          ':from': upload.state,
        },
      });
      return (await conditionally(dynamo().send(update))) !== undefined;
    },
    delete: async (upload) => {
      const removal = new DeleteCommand({
        TableName: config('uploadsTable'),
        Key: uploadKey(upload),
        ConditionExpression: '#state = :removing',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':removing': 'removing' },
      });
      await conditionally(dynamo().send(removal));
    },
  };
}
