import { randomUUID } from 'node:crypto';
import { paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { LeadDeliveriesEraser } from '../ports.ts';
import { leadPartition } from './deliveries-table.ts';

/**
 * How long the lanes of an erased lead are kept. A lane is deleted earlier when `lead.erased` is delivered or given up.
 * Disabled endpoints get no `lead.erased`.
 */
const ERASED_LANES_TTL_SECONDS = 7 * 86_400;

/**
 * The new version prevents a process that read the lead before its erasure from storing a message. An attempt that has
 * begun can still reach its receiver. Then the message that the lead was erased follows after it.
 */
export const createDynamoLeadDeliveriesEraser = (clock: Clock = systemClock): LeadDeliveriesEraser => ({
  erase: async (lead) => {
    const TableName = requireSetting('deliveriesTable');
    const query = {
      TableName,
      KeyConditionExpression: 'pk = :lead',
      ExpressionAttributeValues: { ':lead': leadPartition(lead) },
      ProjectionExpression: 'pk, sk',
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query)) {
      for (const { pk, sk } of Items) {
        const update = new UpdateCommand({
          TableName,
          Key: { pk, sk },
          UpdateExpression: 'SET version = :version, expiresAt = :expiry REMOVE inFlight',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: {
            ...{ ':version': randomUUID(), ':expiry': Math.ceil(clock.now() / 1_000) + ERASED_LANES_TTL_SECONDS },
          },
        });
        await undefinedIfConditionFailed(dynamoDocumentClient().send(update));
      }
    }
  },
});
