import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys, queryDueKeysInShard } from '../../platform/aws/query-due-index.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { DueUploads } from '../sweep-uploads.ts';
import { parseUploadKey, RETRY_SHARD, shardName, uploadKey, uploadShard } from './upload-item.ts';

/** Uploads by the time at which they are due, through a sparse index that is sharded by hand. */
export function dynamoDueUploads(): DueUploads {
  return {
    findDue: async (nowMs, most) => {
      const fresh = await queryDueKeys('uploadsTable', shardName, nowMs, most);
      return (fresh.length > 0 ? fresh : await queryDueKeysInShard('uploadsTable', RETRY_SHARD, nowMs, most)).map(
        parseUploadKey,
      );
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
        TableName: requireSetting('uploadsTable'),
        Key: uploadKey(upload),
        UpdateExpression: `SET ${set.join(', ')}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''}`,
        ConditionExpression: 'dueAt = :seen AND #state = :from',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: {
          ':state': state,
          ':inspected': inspected,
          ':due': formatDueAt(change.dueAtMs),
          ':shard': isRetried ? RETRY_SHARD : uploadShard(upload.uuid),
          ...(isRetried && { ':attempts': attempts }),
          ...(reason && { ':reason': reason }),
          ':seen': formatDueAt(upload.dueAtMs),
          ':from': upload.state,
        },
      });
      return (await undefinedIfConditionFailed(dynamoDocumentClient().send(update))) !== undefined;
    },
    delete: async (upload) => {
      const removal = new DeleteCommand({
        TableName: requireSetting('uploadsTable'),
        Key: uploadKey(upload),
        ConditionExpression: '#state = :removing',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':removing': 'removing' },
      });
      await undefinedIfConditionFailed(dynamoDocumentClient().send(removal));
    },
  };
}
