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
import { demandsIn, requestOf } from '../../../support/policies/sent-requests.ts';

const PLACE = 'dynamodb:eu-central-1:111122223333:table';
const Key = { pk: { S: 'a' } };
const Item = Key;
const demandsOfCommand = async (command: object) => demandsIn(await requestOf(DynamoDBClient, command));

test('a call on a table demands its own action on the table, by name or ARN', async () => {
  expect(await demandsOfCommand(new UpdateItemCommand({ TableName: 'leads', Key }))).toEqual([
    `dynamodb:UpdateItem ${PLACE}/leads`,
  ]);
  const arn = 'arn:aws:dynamodb:eu-west-1:111122223333:table/leads';
  expect(await demandsOfCommand(new DescribeTableCommand({ TableName: arn }))).toEqual([
    'dynamodb:DescribeTable dynamodb:eu-west-1:111122223333:table/leads',
  ]);
});

test('a query of an index demands the index, not the table', async () => {
  const TableName = 'leads';
  expect(await demandsOfCommand(new QueryCommand({ TableName }))).toEqual([`dynamodb:Query ${PLACE}/leads`]);
  expect(await demandsOfCommand(new QueryCommand({ TableName, IndexName: 'due' }))).toEqual([
    `dynamodb:Query ${PLACE}/leads/index/due`,
  ]);
});

test('a batch demands its action on each of its tables', async () => {
  const tables = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(tables, async (names) => {
      const reads = Object.fromEntries(names.map((name) => [name, { Keys: [Key] }]));
      const writes = Object.fromEntries(
        names.map((name) => [name, [{ PutRequest: { Item } }, { DeleteRequest: { Key } }]]),
      );
      expect(await demandsOfCommand(new BatchGetItemCommand({ RequestItems: reads }))).toEqual(
        names.map((name) => `dynamodb:BatchGetItem ${PLACE}/${name}`),
      );
      expect(await demandsOfCommand(new BatchWriteItemCommand({ RequestItems: writes }))).toEqual(
        names.map((name) => `dynamodb:BatchWriteItem ${PLACE}/${name}`),
      );
    }),
    { numRuns: 20 },
  );
});

test('a transaction demands what each of its members does by itself', async () => {
  const TransactItems = [
    { Put: { TableName: 'a', Item } },
    { Update: { TableName: 'b', Key, UpdateExpression: 'SET x = y' } },
    { Delete: { TableName: 'a', Key } },
    { ConditionCheck: { TableName: 'c', Key, ConditionExpression: 'x = y' } },
  ];
  expect(await demandsOfCommand(new TransactWriteItemsCommand({ TransactItems }))).toEqual([
    `dynamodb:PutItem ${PLACE}/a`,
    `dynamodb:UpdateItem ${PLACE}/b`,
    `dynamodb:DeleteItem ${PLACE}/a`,
    `dynamodb:ConditionCheckItem ${PLACE}/c`,
  ]);
  const reading = new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName: 'a', Key } }] });
  expect(await demandsOfCommand(reading)).toEqual([`dynamodb:GetItem ${PLACE}/a`]);
});

test('a statement of PartiQL is unknown, and so is what no function calls', async () => {
  const partiQl = new ExecuteStatementCommand({ Statement: 'SELECT * FROM leads' });
  await expect(demandsOfCommand(partiQl)).rejects.toThrow("DynamoDB's ExecuteStatement");
});
