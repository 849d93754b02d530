import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import type { PrimaryKey } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';

/** Timeouts that are long enough for batches of 16 MB over a slow connection. */
const PATIENT = { connectionTimeout: 3_000, requestTimeout: 60_000, throwOnRequestTimeout: true };
const ATTEMPTS_MAX = 5;

/** Settings of a DynamoDB client for interactive commands. */
export const PATIENT_CLIENT = { maxAttempts: ATTEMPTS_MAX, requestHandler: PATIENT };

export const recordsClient = (): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(PATIENT_CLIENT), {
    marshallOptions: { removeUndefinedValues: true },
  });

export type Condition = { expression: string; names?: Record<string, string>; values?: Record<string, unknown> };

const IS_NEW: Condition = { expression: 'attribute_not_exists(pk)' };
const EXISTS: Condition = { expression: 'attribute_exists(pk)' };

type Listing = {
  /** The attribute paths to read. Default: all attributes. */
  only?: readonly string[];
  /** Lists only items whose attributes have these values. DynamoDB reads and bills the other items, too. */
  where?: Record<string, string | undefined>;
  order?: 'newest first';
  /** The listing starts after the item with this sort key, which is given without the prefix `sk`. */
  after?: string | undefined;
  /** Maximum number of items per request. Set it where items are large. */
  pageSize?: number;
};

/**
 * Gives access to the items of a table. Reads are strongly consistent. Writes return false if their condition failed.
 */
export function createRecordTable(
  table: Parameters<typeof requireSetting>[0],
  client: DynamoDBDocumentClient = recordsClient(),
) {
  const itemAt = (Key: PrimaryKey) => ({ TableName: requireSetting(table), Key });
  const succeeds = async (write: Promise<unknown>) => (await undefinedIfConditionFailed(write)) !== undefined;
  return {
    read: async <T>(schema: z.ZodMiniType<T>, key: PrimaryKey): Promise<T | undefined> => {
      const { Item } = await client.send(new GetCommand({ ...itemAt(key), ConsistentRead: true }));
      return Item && schema.parse(Item);
    },

    /** Yields items of the partition `pk`: those with a sort key that begins with `sk`. */
    list: async function* <T>(schema: z.ZodMiniType<T>, { pk, sk }: PrimaryKey, listing: Listing = {}) {
      const { only = [], where = {}, order, after, pageSize } = listing;
      const wanted = Object.entries(where).filter(([, value]) => value !== undefined);
      const names = attributeNames([...only, ...wanted.map(([name]) => name)]);
      const query = {
        TableName: requireSetting(table),
        KeyConditionExpression: sk === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: {
          ':pk': pk,
          ...(sk !== '' && { ':prefix': sk }),
          ...Object.fromEntries(wanted.map(([name, value]) => [valueName(name), value])),
        },
        ConsistentRead: true,
        ScanIndexForward: order === undefined,
        ...(after !== undefined && { ExclusiveStartKey: { pk, sk: `${sk}${after}` } }),
        ...(pageSize !== undefined && { Limit: pageSize }),
        ...(only.length > 0 && { ProjectionExpression: only.map(pathName).join(', ') }),
        ...(wanted.length > 0 && {
          FilterExpression: wanted.map(([name]) => `${pathName(name)} = ${valueName(name)}`).join(' AND '),
        }),
        ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      };
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        for (const item of Items) yield schema.parse(item);
      }
    },

    put: (key: PrimaryKey, item: object, { expression, values }: Condition = IS_NEW): Promise<boolean> => {
      const put = new PutCommand({
        TableName: requireSetting(table),
        Item: { ...key, ...item },
        ConditionExpression: expression,
        ...(values && { ExpressionAttributeValues: values }),
      });
      return succeeds(client.send(put));
    },

    /** Sets the attributes at these paths. Attributes whose new value is undefined are removed. */
    update: (key: PrimaryKey, changes: Record<string, unknown>, condition: Condition = EXISTS): Promise<boolean> => {
      const paths = Object.keys(changes);
      const set = paths.filter((path) => changes[path] !== undefined);
      const removed = paths.filter((path) => changes[path] === undefined);
      const values = {
        ...Object.fromEntries(set.map((path) => [valueName(path), changes[path]])),
        ...condition.values,
      };
      const update = new UpdateCommand({
        ...itemAt(key),
        UpdateExpression: [
          ...(set.length > 0 ? [`SET ${set.map((path) => `${pathName(path)} = ${valueName(path)}`).join(', ')}`] : []),
          ...(removed.length > 0 ? [`REMOVE ${removed.map(pathName).join(', ')}`] : []),
        ].join(' '),
        ConditionExpression: condition.expression,
        ExpressionAttributeNames: { ...attributeNames(paths), ...condition.names },
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
      });
      return succeeds(client.send(update));
    },

    /** Without a condition, returns true even if there is no such item. */
    remove: (key: PrimaryKey, condition?: Condition): Promise<boolean> => {
      const conditional = condition && {
        ConditionExpression: condition.expression,
        ExpressionAttributeNames: condition.names,
        ExpressionAttributeValues: condition.values,
      };
      return succeeds(client.send(new DeleteCommand({ ...itemAt(key), ...conditional })));
    },
  };
}

// Attribute names are replaced with placeholders, because some of them are reserved words of DynamoDB.

const attributeNames = (paths: readonly string[]): Record<string, string> =>
  Object.fromEntries(paths.flatMap((path) => path.split('.')).map((name) => [`#${name}`, name]));

const pathName = (path: string): string =>
  path
    .split('.')
    .map((name) => `#${name}`)
    .join('.');

const valueName = (path: string): string => `:${path.replaceAll('.', '_')}`;
