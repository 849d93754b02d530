import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import dynalite from 'dynalite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenLocally } from '../../../../infra/local/common/listen.ts';
import { addMissingIndexes } from '../../../../infra/local/emulators/add-missing-indexes.ts';
import { tableName } from '../../../../infra/local/runtime/environment.ts';
import { createTableCommand } from '../../../../infra/local/runtime/table-creation.ts';
import { TABLES } from '../../../../infra/stacks/data/tables.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'indexes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = () => join(folder, 'dynamodb');

async function withTables<T>(use: (client: DynamoDBDocumentClient) => Promise<T>): Promise<T> {
  const server = dynalite({ path: path(), createTableMs: 0 });
  const endpoint = `http://127.0.0.1:${await listenLocally(server)}`;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ endpoint, region: 'eu-central-1', credentials });
  try {
    return await use(DynamoDBDocumentClient.from(client));
  } finally {
    client.destroy();
    await promisify(server.close.bind(server))();
  }
}

const TableName = tableName('leads');
const item = (id: string) => ({
  pk: id,
  sk: 'lead',
  funnelShard: 'funnel#1',
  submittedAt: '1',
  dueShard: 'a',
  dueAt: '1',
});
const put = (client: DynamoDBDocumentClient, id: string) => client.send(new PutCommand({ TableName, Item: item(id) }));
const indexesOf = async (client: DynamoDBDocumentClient) => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  return Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName);
};

test('tables of an earlier version keep their items and get the missing indexes, which list items written later', async () => {
  const shape = TABLES.find(({ name }) => name === 'leads');
  if (shape === undefined) throw new Error('There is no table of leads.');
  const earlier = { ...shape, indexes: shape.indexes.filter(({ name }) => name === 'byFunnel') };
  await withTables(async (client) => {
    await client.send(createTableCommand(earlier, TableName));
    await put(client, 'before');
  });

  await addMissingIndexes(path());
  await addMissingIndexes(path());

  await withTables(async (client) => {
    await put(client, 'after');
    expect(await indexesOf(client)).toEqual(shape.indexes.map(({ name }) => name));
    const KeyConditionExpression = 'dueShard = :shard AND dueAt <= :now';
    const ExpressionAttributeValues = { ':shard': 'a', ':now': '2' };
    const query = { TableName, IndexName: 'due', KeyConditionExpression, ExpressionAttributeValues };
    const due = await client.send(new QueryCommand(query));
    expect(due.Items?.map(({ pk }) => pk)).toEqual(['after']);
    const { Items } = await client.send(new ScanCommand({ TableName }));
    expect(Items?.map(({ pk }) => pk).sort()).toEqual(['after', 'before']);
  });
});

test('a folder without tables stays empty', async () => {
  await addMissingIndexes(path());
  await withTables((client) => expect(indexesOf(client)).rejects.toThrow('not found'));
});
