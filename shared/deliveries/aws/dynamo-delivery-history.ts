import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { type DeliveryKey, expiryOf } from '../delivery.ts';
import type { DeliveryHistory } from '../ports.ts';
import { laneItemKey } from './deliveries-table.ts';
import { attemptAttribute, deliveryItemKey, historyPartition, parseDeliveryItem } from './delivery-item.ts';

/** All methods throw UnavailableError while the table is unavailable. */
export function createDynamoDeliveryHistory(): DeliveryHistory {
  return {
    record: ({ subject, endpointId, ...delivery }, attempt) =>
      orUnavailable(async () => {
        const values = {
          ...delivery,
          lane: laneItemKey({ subject, endpointId }),
          expiresAt: Math.ceil(expiryOf(delivery.firstAttemptAt) / 1_000),
          [attemptAttribute(attempt.number)]: attempt,
        };
        const names = Object.keys(values);
        const update = new UpdateCommand({
          ...tableAndKey({ endpointId, ...delivery }),
          UpdateExpression: `SET ${names.map((_, index) => `#n${index} = :v${index}`).join(', ')}`,
          ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#n${index}`, name])),
          ExpressionAttributeValues: Object.fromEntries(
            Object.values(values).map((value, index) => [`:v${index}`, value]),
          ),
        });
        await dynamoDocumentClient().send(update);
      }),
    fail: (key) =>
      orUnavailable(async () => {
        const update = new UpdateCommand({
          ...tableAndKey(key),
          UpdateExpression: 'SET #status = :failed',
          ConditionExpression: '#status = :pending',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':failed': 'failed', ':pending': 'pending' },
        });
        await undefinedIfConditionFailed(dynamoDocumentClient().send(update));
      }),
    list: (endpointId, { before, nowMs, limit }) =>
      orUnavailable(async () => {
        const query = new QueryCommand({
          TableName: requireSetting('deliveriesTable'),
          KeyConditionExpression: before === undefined ? 'pk = :pk' : 'pk = :pk AND sk < :before',
          ExpressionAttributeValues: {
            ':pk': historyPartition(endpointId),
            ...(before !== undefined && { ':before': before }),
          },
          ScanIndexForward: false,
          Limit: limit,
        });
        const { Items = [], LastEvaluatedKey } = await dynamoDocumentClient().send(query);
        const deliveries = Items.map(parseDeliveryItem).filter((one) => expiryOf(one.firstAttemptAt) > nowMs);
        // If an item of this page has expired, the page is the last one, because all items of further pages are older.
        const isLast = LastEvaluatedKey === undefined || deliveries.length < Items.length;
        return { deliveries, next: isLast ? undefined : String(LastEvaluatedKey.sk) };
      }),
    listSince: (endpointId, { after, until, limit }) =>
      orUnavailable(async () => {
        const query = new QueryCommand({
          TableName: requireSetting('deliveriesTable'),
          KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :until',
          ExpressionAttributeValues: {
            // If `after` is the sort key of an item that was already listed, `~` excludes the item. `~` sorts after all
            // characters of sort keys.
            ':pk': historyPartition(endpointId),
            ':after': `${after}${after.includes('#') ? '~' : ''}`,
            ':until': until,
          },
          Limit: limit,
          ConsistentRead: true,
        });
        const { Items = [], LastEvaluatedKey } = await dynamoDocumentClient().send(query);
        return { deliveries: Items.map(parseDeliveryItem), next: LastEvaluatedKey && String(LastEvaluatedKey.sk) };
      }),
    find: (endpointId, messageId, nowMs) =>
      orUnavailable(async () => {
        const query = new QueryCommand({
          TableName: requireSetting('deliveriesTable'),
          IndexName: 'byMessage',
          KeyConditionExpression: 'messageId = :id',
          ExpressionAttributeValues: { ':id': messageId },
          ScanIndexForward: false,
        });
        const { Items = [] } = await dynamoDocumentClient().send(query);
        const key = Items.find(({ pk }) => pk === historyPartition(endpointId));
        if (key === undefined) return undefined;
        const get = new GetCommand({
          TableName: requireSetting('deliveriesTable'),
          Key: { pk: key.pk, sk: key.sk },
          ConsistentRead: true,
        });
        const { Item } = await dynamoDocumentClient().send(get);
        const found = Item && parseDeliveryItem(Item);
        return found && expiryOf(found.firstAttemptAt) > nowMs ? found : undefined;
      }),
  };
}

const tableAndKey = (key: DeliveryKey) => ({
  TableName: requireSetting('deliveriesTable'),
  Key: deliveryItemKey(key),
});

const orUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  rethrowAsUnavailable('The history of deliveries is not available. Try again shortly.', work);
