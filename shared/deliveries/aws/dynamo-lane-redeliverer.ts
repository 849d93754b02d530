import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { toIsoString } from '../lane.ts';
import type { LaneRepository } from '../ports.ts';
import { laneItemKey } from './deliveries-table.ts';

/** A separate adapter, because the function that requests a redelivery has no permission for other writes of lanes. */
export const createDynamoLaneRedeliverer = (): Pick<LaneRepository, 'redeliver'> => ({
  redeliver: (key, { orgId, type, seq, redeliveryId, atMs }) =>
    rethrowAsUnavailable('The table of deliveries is not available. Try again shortly.', async () => {
      const update = new UpdateCommand({
        TableName: requireSetting('deliveriesTable'),
        Key: laneItemKey(key),
        UpdateExpression:
          'SET orgId = :org, targetSeq = if_not_exists(targetSeq, :seq), laneEndpoint = :endpoint, ' +
          'nextAt = if_not_exists(nextAt, :now), redeliveryId = :id REMOVE expiresAt ADD redeliveries :types',
        ConditionExpression: 'attribute_not_exists(redeliveries) OR NOT contains(redeliveries, :type)',
        ExpressionAttributeValues: {
          ':org': orgId,
          ':seq': seq,
          ':endpoint': key.endpointId,
          ':now': toIsoString(atMs),
          ':id': redeliveryId,
          ':types': new Set([type]),
          ':type': type,
        },
      });
      await undefinedIfConditionFailed(dynamoDocumentClient().send(update));
    }),
});
