import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import dynalite from 'dynalite';
import { create, getIndexActions, type Item, type StoredTable } from 'dynalite/db/index.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenLocally } from '../../../../infra/local/common/listen.ts';
import { repairIndexes } from '../../../../infra/local/emulators/repair-indexes.ts';
import { tableName } from '../../../../infra/local/runtime/environment.ts';
import { ensureTable, tableDefinition } from '../../../../infra/local/runtime/resource-creation.ts';
import { TABLES, type TableShape } from '../../../../infra/stacks/data/tables.ts';

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
const leads = TABLES.find(({ name }) => name === 'leads');
if (leads === undefined) throw new Error('There is no table of leads.');
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

const createTable = (client: DynamoDBDocumentClient, shape: TableShape) =>
  ensureTable(client, tableDefinition(shape, TableName));

/** Returns id and time of each entry of the index `due`. */
async function dueEntries(client: DynamoDBDocumentClient): Promise<unknown[]> {
  const KeyConditionExpression = 'dueShard = :shard AND dueAt <= :now';
  const ExpressionAttributeValues = { ':shard': 'a', ':now': '2' };
  const query = { TableName, IndexName: 'due', KeyConditionExpression, ExpressionAttributeValues };
  const { Items = [] } = await client.send(new QueryCommand(query));
  return Items.map(({ pk, dueAt }) => `${pk} at ${dueAt}`).sort();
}

test('tables of an earlier version keep their items and get the missing indexes, which list all items', async () => {
  const earlier = { ...leads, indexes: leads.indexes.filter(({ name }) => name === 'byFunnel') };
  await withTables(async (client) => {
    await createTable(client, earlier);
    await put(client, 'before');
  });

  await repairIndexes(path());
  await repairIndexes(path());

  await withTables(async (client) => {
    await put(client, 'after');
    expect(await indexesOf(client)).toEqual(leads.indexes.map(({ name }) => name));
    expect(await dueEntries(client)).toEqual(['after at 1', 'before at 1']);
    const { Items } = await client.send(new ScanCommand({ TableName }));
    expect(Items?.map(({ pk }) => pk).sort()).toEqual(['after', 'before']);
  });
});

/** Simulates a kill during the write of an item: adds or removes an entry of the item in the index `due`. */
async function changeEntry(id: string, change: { isListed: boolean; dueAt: string }): Promise<void> {
  const store = create({ path: path() });
  const table = (await promisify(store.tableDb.get)(TableName)) as StoredTable;
  const stored: Item = Object.fromEntries(Object.entries(item(id)).map(([name, value]) => [name, { S: value }]));
  const due = table.GlobalSecondaryIndexes.filter(({ IndexName }) => IndexName === 'due');
  const [entry] = getIndexActions(due, null, { ...stored, dueAt: { S: change.dueAt } }, table).puts;
  if (entry === undefined) throw new Error('The item is in no index.');
  const entries = store.getIndexDb('Global', TableName, 'due');
  if (change.isListed) await promisify(entries.put)(entry.key, entry.item);
  else await promisify(entries.del)(entry.key);
  await store.lifecycleManager.gracefulClose();
}

test('after a kill during a write, the repaired index lists each stored item once, at its due time, and nothing else', async () => {
  await withTables(async (client) => {
    await createTable(client, leads);
    for (const id of ['complete', 'not listed', 'listed twice']) await put(client, id);
  });
  await changeEntry('not listed', { isListed: false, dueAt: '1' });
  await changeEntry('listed twice', { isListed: true, dueAt: '0' });
  await changeEntry('not stored', { isListed: true, dueAt: '1' });
  const before = ['complete at 1', 'listed twice at 0', 'listed twice at 1', 'not stored at 1'];
  await withTables(async (client) => expect(await dueEntries(client)).toEqual(before));

  await repairIndexes(path());

  const after = ['complete at 1', 'listed twice at 1', 'not listed at 1'];
  await withTables(async (client) => expect(await dueEntries(client)).toEqual(after));
});

test('a folder without tables stays empty', async () => {
  await repairIndexes(path());
  await withTables((client) => expect(indexesOf(client)).rejects.toThrow('not found'));
});
