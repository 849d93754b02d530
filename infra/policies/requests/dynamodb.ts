import * as z from 'zod/mini';
import { TABLE_KEYS } from '../../stacks/data/tables.ts';
import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import type { RequiredPermission } from '../statement.ts';
import { type AwsRequest, operationName, UnknownRequest } from './aws-request.ts';

const Key = z.optional(z.object({ [TABLE_KEYS.hash]: z.object({ S: z.string() }) }));
const OneTable = z.object({ TableName: z.string(), IndexName: z.optional(z.string()), Key, Item: Key });
const SeveralTables = z.object({ RequestItems: z.record(z.string(), z.unknown()) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), OneTable)) });

/**
 * Operations on one table. The required action has the operation's name. The resource is the index that the request
 * names, or the table if the request names no index.
 */
const ONE_TABLE_OPERATIONS: ReadonlySet<string> = new Set([
  'DeleteItem',
  'DescribeTable',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'UpdateItem',
]);
const BATCH_OPERATIONS: ReadonlySet<string> = new Set(['BatchGetItem', 'BatchWriteItem']);

/**
 * Required actions of transactions: first by operation, then by the type of an item in the request (Developer Guide,
 * IAM with transactions).
 */
const TRANSACTION_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  TransactWriteItems: {
    ConditionCheck: 'ConditionCheckItem',
    Delete: 'DeleteItem',
    Put: 'PutItem',
    Update: 'UpdateItem',
  },
  TransactGetItems: { Get: 'GetItem' },
};

/** @throws UnknownRequest for an operation that is not supported, for example PartiQL */
export function dynamoPermissions(request: AwsRequest): RequiredPermission[] {
  const operation = operationName(request);
  const permission = (action: string, table: string) => ({
    action: `dynamodb:${action}`,
    resource: tableArn(request, table),
  });
  const body: unknown = JSON.parse(request.body);
  if (ONE_TABLE_OPERATIONS.has(operation)) {
    const { TableName, IndexName, Key: key, Item } = OneTable.parse(body);
    const leadingKey = (key ?? Item)?.[TABLE_KEYS.hash]?.S;
    return [
      {
        ...permission(operation, IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`),
        ...(leadingKey !== undefined && { context: { 'dynamodb:leadingkeys': leadingKey } }),
      },
    ];
  }
  if (BATCH_OPERATIONS.has(operation)) {
    return Object.keys(SeveralTables.parse(body).RequestItems).map((table) => permission(operation, table));
  }
  const members = TRANSACTION_MEMBERS[operation];
  if (members === undefined) throw new UnknownRequest(`DynamoDB's ${operation}`);
  return Transaction.parse(body).TransactItems.flatMap((item) =>
    Object.entries(item).map(([member, { TableName }]) => {
      const action = members[member];
      if (action === undefined) throw new UnknownRequest(`${member} in DynamoDB's ${operation}`);
      return permission(action, TableName);
    }),
  );
}

/** Returns the ARN of a table that a request names by name or by ARN. */
const tableArn = ({ region }: AwsRequest, table: string): string =>
  table.startsWith('arn:')
    ? table
    : `arn:${PSEUDO_PARAMETERS.partition}:dynamodb:${region}:${PSEUDO_PARAMETERS.account}:table/${table}`;
