import * as z from 'zod/mini';
import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import type { RequiredPermission } from '../statement.ts';
import { type AwsRequest, operationName, UnknownRequest } from './aws-request.ts';

const OneTable = z.object({ TableName: z.string(), IndexName: z.optional(z.string()) });
const SeveralTables = z.object({ RequestItems: z.record(z.string(), z.unknown()) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), OneTable)) });

/** The action has the operation's name; the resource is the table, or the index that is read. */
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

/** Each member of a transaction needs the permission of the single operation (Developer Guide, IAM with transactions). */
const TRANSACTION_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  TransactWriteItems: {
    ConditionCheck: 'ConditionCheckItem',
    Delete: 'DeleteItem',
    Put: 'PutItem',
    Update: 'UpdateItem',
  },
  TransactGetItems: { Get: 'GetItem' },
};

/** @throws UnknownRequest, also for PartiQL, which names its tables only inside statements */
export function dynamoPermissions(request: AwsRequest): RequiredPermission[] {
  const operation = operationName(request);
  const permission = (action: string, table: string) => ({
    action: `dynamodb:${action}`,
    resource: tableArn(request, table),
  });
  const body: unknown = JSON.parse(request.body);
  if (ONE_TABLE_OPERATIONS.has(operation)) {
    const { TableName, IndexName } = OneTable.parse(body);
    return [permission(operation, IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`)];
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

/** Requests may name a table by its ARN. */
const tableArn = ({ region }: AwsRequest, table: string): string =>
  table.startsWith('arn:')
    ? table
    : `arn:${PSEUDO_PARAMETERS.partition}:dynamodb:${region}:${PSEUDO_PARAMETERS.account}:table/${table}`;
