import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { available } from '../http/available.ts';
import { dynamo } from '../platform/clients.ts';
import { conditionally } from '../platform/conditionally.ts';
import { config } from '../platform/config.ts';
import { dueIn, itemKey } from './domain-item.ts';
import type { RemovalRequestPorts } from './removal-request.ts';

/** Marks domains in the directory table. */
export const dynamoRemovalRequests = (): RemovalRequestPorts['domains'] => ({
  markRemoving: async (ids, removal, dueAtMs) => {
    const { dueShard, dueAt } = dueIn(ids.domainId, dueAtMs);
    const update = new UpdateCommand({
      TableName: config('directoryTable'),
      Key: itemKey(ids),
      UpdateExpression:
        'SET #status = :removing, removal = :removal, dueShard = :shard, dueAt = :due ADD revision :one',
      ConditionExpression: 'attribute_exists(pk) AND #status <> :removing',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ...{ ':removing': 'removing', ':removal': removal, ':shard': dueShard, ':due': dueAt, ':one': 1 },
      },
    });
    const answer = await available('The domain can not be removed right now.', () =>
      conditionally(dynamo().send(update)),
    );
    return answer === undefined ? 'unknown' : 'marked';
  },
});
