import * as z from 'zod/mini';
import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import type { RequiredPermission } from '../statement.ts';
import { type AwsRequest, operationOf, UnknownRequest } from './aws-request.ts';

const OnTable = z.object({ TableName: z.string(), IndexName: z.optional(z.string()) });
const OnTables = z.object({ RequestItems: z.record(z.string(), z.unknown()) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), OnTable)) });

/** Their action has their name, and the table, or the index that is read, is the resource. */
const ON_TABLE: ReadonlySet<string> = new Set([
  'DeleteItem',
  'DescribeTable',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'UpdateItem',
]);
const ON_TABLES: ReadonlySet<string> = new Set(['BatchGetItem', 'BatchWriteItem']);

/** Members of a transaction are judged as the calls that they stand for (Developer Guide, IAM with transactions). */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  TransactWriteItems: {
    ConditionCheck: 'ConditionCheckItem',
    Delete: 'DeleteItem',
    Put: 'PutItem',
    Update: 'UpdateItem',
  },
  TransactGetItems: { Get: 'GetItem' },
};

/** @throws UnknownRequest, also for PartiQL, whose tables stand in its statements */
export function dynamoPermissions(request: AwsRequest): RequiredPermission[] {
  const operation = operationOf(request);
  const demand = (action: string, table: string) => ({ action: `dynamodb:${action}`, resource: arnOf(request, table) });
  const body: unknown = JSON.parse(request.body);
  if (ON_TABLE.has(operation)) {
    const { TableName, IndexName } = OnTable.parse(body);
    return [demand(operation, IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`)];
  }
  if (ON_TABLES.has(operation)) {
    return Object.keys(OnTables.parse(body).RequestItems).map((table) => demand(operation, table));
  }
  const members = MEMBERS[operation];
  if (members === undefined) throw new UnknownRequest(`DynamoDB's ${operation}`);
  return Transaction.parse(body).TransactItems.flatMap((item) =>
    Object.entries(item).map(([member, { TableName }]) => {
      const action = members[member];
      if (action === undefined) throw new UnknownRequest(`${member} in DynamoDB's ${operation}`);
      return demand(action, TableName);
    }),
  );
}

/** A table can be named by its ARN too. */
const arnOf = ({ region }: AwsRequest, table: string): string =>
  table.startsWith('arn:')
    ? table
    : `arn:${PSEUDO_PARAMETERS.partition}:dynamodb:${region}:${PSEUDO_PARAMETERS.account}:table/${table}`;
