import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { afterAll, beforeAll } from 'vitest';
import { TABLE_KEYS, TABLES, type TableShape } from '../../infra/tables.ts';

/** Gives the file's tests a DynamoDB of their own, in memory, with all tables; the adapters find it by the environment. */
export function useDynamo(): void {
  const server = dynalite({ createTableMs: 0 });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    });
    const client = new DynamoDBClient({});
    for (const table of TABLES) {
      process.env[`TABLE_${table.name.toUpperCase()}`] = table.name;
      await client.send(creation(table));
    }
    client.destroy();
  });
  afterAll(() => void server.close());
}

function creation({ name, indexes }: TableShape): CreateTableCommand {
  const keySchema = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  return new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: TABLE_KEYS.hash, AttributeType: 'S' },
      { AttributeName: TABLE_KEYS.range, AttributeType: 'S' },
      ...indexes.flatMap(({ hash, range }) =>
        [hash, range].map((key) => ({ AttributeName: key.name, AttributeType: key.type })),
      ),
    ],
    KeySchema: keySchema(TABLE_KEYS.hash, TABLE_KEYS.range),
    ...(indexes.length === 0
      ? {}
      : {
          GlobalSecondaryIndexes: indexes.map((index) => ({
            IndexName: index.name,
            KeySchema: keySchema(index.hash.name, index.range.name),
            Projection: { ProjectionType: index.projection === 'keys' ? ('KEYS_ONLY' as const) : ('ALL' as const) },
          })),
        }),
  });
}
