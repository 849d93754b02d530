import {
  type AttributeValue,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { RestoredItem, RestorePorts } from './restore-items.ts';

export type Attributes = Record<string, AttributeValue>;
type StoredItem = RestoredItem & { attributes: Attributes };

/**
 * Creates the ports to a restored table and to the live table. `items` skips expired items, which DynamoDB may not have
 * deleted yet.
 *
 * @param toLiveItem converts the attributes of a restored item to the attributes to put into the live table
 */
export function createDynamoRestoreTables(
  client: DynamoDBClient,
  tables: { restored: string; live: string },
  clock: Clock,
  toLiveItem: (attributes: Attributes, nowMs: number) => Attributes = (attributes) => attributes,
): Omit<RestorePorts<StoredItem>, 'erasedLeads'> {
  const live = { TableName: tables.live };
  return {
    items: async function* (prefix) {
      const filter = {
        FilterExpression: 'begins_with(pk, :prefix) AND (attribute_not_exists(expiresAt) OR expiresAt > :now)',
        ExpressionAttributeValues: { ':prefix': { S: prefix }, ':now': { N: String(Math.floor(clock.now() / 1_000)) } },
      };
      const pages = paginateScan({ client }, { TableName: tables.restored, ConsistentRead: true, ...filter });
      for await (const { Items = [] } of pages) yield Items.map(storedItem);
    },
    has: async ({ pk, sk }) => {
      const key = { Key: { pk: { S: pk }, sk: { S: sk } }, ProjectionExpression: 'pk', ConsistentRead: true };
      return (await client.send(new GetItemCommand({ ...live, ...key }))).Item !== undefined;
    },
    put: async ({ attributes }, how) => {
      const condition = how === 'new' ? { ConditionExpression: 'attribute_not_exists(pk)' } : {};
      const Item = toLiveItem(attributes, clock.now());
      const write = client.send(new PutItemCommand({ ...live, Item, ...condition }));
      return (await undefinedIfConditionFailed(write)) !== undefined;
    },
  };
}

const storedItem = (attributes: Attributes): StoredItem => ({
  pk: attributes.pk?.S ?? '',
  sk: attributes.sk?.S ?? '',
  attributes,
  text: JSON.stringify(attributes, (_, value) => (value instanceof Uint8Array ? undefined : value)),
});
