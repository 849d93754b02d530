import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { TABLE_KEYS, TABLES } from '../../infra/stacks/data/tables.ts';
import { dynamoClient, dynamoDocumentClient } from '../../shared/platform/aws/dynamo-client.ts';
import { kinesisClient } from '../../shared/platform/aws/kinesis-client.ts';
import { s3Client } from '../../shared/platform/aws/s3-client.ts';

/** A request to AWS. `units` is the capacity that the stand-in reports, which does not include index writes. */
export type SeenCall = { call: string; units: number; indexWrites: number };

type Capacity = { CapacityUnits?: number };
type Middleware = (
  next: (args: { input: object }) => Promise<{ output: object }>,
  context: { commandName?: string },
) => (args: { input: object }) => Promise<{ output: object }>;
type Stack = { add(middleware: Middleware, options: { step: 'initialize'; name: string }): void };

/** Records the requests of the shared clients of DynamoDB, Kinesis and S3, and invocations of Lambda functions. */
export async function spyOnAws() {
  const seen: SeenCall[] = [];
  const entriesOf = indexEntries();
  const spies = [
    ['dynamodb', dynamoDocumentClient()],
    ['dynamodb', dynamoClient()],
    ['kinesis', kinesisClient()],
    ['s3', s3Client()],
  ] as const;
  for (const [service, client] of spies)
    (client.middlewareStack as Stack).add(spy(service, seen, entriesOf), { step: 'initialize', name: 'spy' });
  const lambda = createServer((request, response) => {
    seen.push({ call: 'lambda:Invoke', units: 0, indexWrites: 0 });
    request.resume().once('end', () => response.writeHead(202).end());
  });
  await new Promise<void>((resolve) => lambda.listen(0, '127.0.0.1', () => resolve()));
  process.env.AWS_ENDPOINT_URL_LAMBDA = `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`;
  return {
    callsOf: async (work: () => Promise<unknown>): Promise<SeenCall[]> => {
      seen.length = 0;
      await work();
      return [...seen];
    },
    end: () => void lambda.close(),
  };
}

type Input = {
  TableName?: string;
  RequestItems?: Record<string, { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[]>;
  IndexName?: string;
  Item?: Item;
  Key?: Item;
};
type Item = Record<string, unknown>;
type Written = { table: string; key: Item };
type EntriesOf = (written: readonly Written[]) => Promise<string[]>;

const spy =
  (service: string, seen: SeenCall[], entriesOf: EntriesOf): Middleware =>
  (next, { commandName = '' }) =>
  async (args) => {
    const counts = service === 'dynamodb';
    if (counts) Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
    const name = `${service}:${commandName.replace(/Command$/, '')}`;
    const input = args.input as Input;
    const table = input.TableName ?? Object.keys(input.RequestItems ?? {})[0];
    const on =
      table === undefined ? '' : ` ${table.replace('tributary-', '')}${input.IndexName ? `/${input.IndexName}` : ''}`;
    const entry = { call: `${name}${on}`, units: 0, indexWrites: 0 };
    seen.push(entry);
    const written = /:(?:Put|Update|Delete|BatchWrite)(?:Item)?$/.test(name) && counts ? writtenBy(input) : [];
    const before = await entriesOf(written);
    const answer = await next(args);
    const { ConsumedCapacity } = answer.output as { ConsumedCapacity?: Capacity | Capacity[] };
    entry.units = [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    const after = await entriesOf(written);
    // An index entry whose key changes counts twice, because it is deleted and inserted.
    entry.indexWrites = without(before, after) + without(after, before);
    return answer;
  };

const without = (entries: readonly string[], others: readonly string[]): number =>
  entries.filter((entry) => !others.includes(entry)).length;

function writtenBy({ TableName = '', Item, Key, RequestItems = {} }: Input): Written[] {
  const one = Key ?? Item;
  if (one !== undefined) return [{ table: TableName, key: keyIn(one) }];
  return Object.entries(RequestItems).flatMap(([table, requests]) =>
    requests.map(({ PutRequest, DeleteRequest }) => ({
      table,
      key: keyIn(PutRequest?.Item ?? DeleteRequest?.Key ?? {}),
    })),
  );
}

const keyIn = (item: Item): Item =>
  Object.fromEntries(Object.values(TABLE_KEYS).map((name) => [name, plain(item[name])]));

/** Unwraps a value, because the plain client wraps each value in its type: `{ S: 'value' }`. */
const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : value;

/** Reads the index entries of items. Leaves the context of the measured function, whose policy denies these reads. */
function indexEntries(): EntriesOf {
  const outside = AsyncLocalStorage.snapshot();
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const entries = async ({ table, key }: Written): Promise<string[]> => {
    const { Item = {} } = await client.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }));
    const shape = TABLES.find(({ name }) => table.endsWith(`-${name}`));
    return (shape?.indexes ?? [])
      .filter(({ hash, range }) => Item[hash.name] !== undefined && Item[range.name] !== undefined)
      .map(({ name, hash, range }) => JSON.stringify([table, name, key, Item[hash.name], Item[range.name]]));
  };
  return (written) => outside(async () => (await Promise.all(written.map(entries))).flat());
}
