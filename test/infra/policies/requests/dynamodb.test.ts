import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ExecuteStatementCommand,
  QueryCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getPermissions, getRequest } from '../../../support/policies/sent-requests.ts';

const TABLE_ARN = 'dynamodb:eu-central-1:111122223333:table';
const Key = { pk: { S: 'a' } };
const Item = Key;
const commandPermissions = async (command: object) => getPermissions(await getRequest(DynamoDBClient, command));

test('DynamoDB: an operation on a table, given by name or ARN, needs the action of the same name', async () => {
  expect(await commandPermissions(new UpdateItemCommand({ TableName: 'leads', Key }))).toEqual([
    `dynamodb:UpdateItem ${TABLE_ARN}/leads {"dynamodb:leadingkeys":"a"}`,
  ]);
  const arn = 'arn:aws:dynamodb:eu-west-1:111122223333:table/leads';
  expect(await commandPermissions(new DescribeTableCommand({ TableName: arn }))).toEqual([
    'dynamodb:DescribeTable dynamodb:eu-west-1:111122223333:table/leads',
  ]);
});

test('DynamoDB: a query of an index needs permission on the index, not on the table', async () => {
  const TableName = 'leads';
  expect(await commandPermissions(new QueryCommand({ TableName }))).toEqual([`dynamodb:Query ${TABLE_ARN}/leads`]);
  expect(await commandPermissions(new QueryCommand({ TableName, IndexName: 'due' }))).toEqual([
    `dynamodb:Query ${TABLE_ARN}/leads/index/due`,
  ]);
});

test('DynamoDB: a batch needs permission for BatchGetItem or BatchWriteItem on each of its tables', async () => {
  const tables = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(tables, async (names) => {
      const reads = Object.fromEntries(names.map((name) => [name, { Keys: [Key] }]));
      const writes = Object.fromEntries(
        names.map((name) => [name, [{ PutRequest: { Item } }, { DeleteRequest: { Key } }]]),
      );
      expect(await commandPermissions(new BatchGetItemCommand({ RequestItems: reads }))).toEqual(
        names.map((name) => `dynamodb:BatchGetItem ${TABLE_ARN}/${name}`),
      );
      expect(await commandPermissions(new BatchWriteItemCommand({ RequestItems: writes }))).toEqual(
        names.map((name) => `dynamodb:BatchWriteItem ${TABLE_ARN}/${name}`),
      );
    }),
    { numRuns: 20 },
  );
});

test('DynamoDB: a transaction needs the permission of each operation in it', async () => {
  const TransactItems = [
    { Put: { TableName: 'a', Item } },
    { Update: { TableName: 'b', Key, UpdateExpression: 'SET x = y' } },
    { Delete: { TableName: 'a', Key } },
    { ConditionCheck: { TableName: 'c', Key, ConditionExpression: 'x = y' } },
  ];
  expect(await commandPermissions(new TransactWriteItemsCommand({ TransactItems }))).toEqual([
    `dynamodb:PutItem ${TABLE_ARN}/a`,
    `dynamodb:UpdateItem ${TABLE_ARN}/b`,
    `dynamodb:DeleteItem ${TABLE_ARN}/a`,
    `dynamodb:ConditionCheckItem ${TABLE_ARN}/c`,
  ]);
  const read = new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName: 'a', Key } }] });
  expect(await commandPermissions(read)).toEqual([`dynamodb:GetItem ${TABLE_ARN}/a`]);
});

test('DynamoDB: the permissions of a PartiQL request are not known, so an error is thrown', async () => {
  const partiQl = new ExecuteStatementCommand({ Statement: 'SELECT * FROM leads' });
  await expect(commandPermissions(partiQl)).rejects.toThrow("DynamoDB's ExecuteStatement");
});
