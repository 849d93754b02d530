import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  type KeySchemaElement,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  CreateStreamCommand,
  type CreateStreamCommandInput,
  type KinesisClient,
  waitUntilStreamExists,
} from '@aws-sdk/client-kinesis';
import { TABLE_KEYS, type TableIndex, type TableShape } from '../../stacks/data/tables.ts';

/** Times in seconds. The delays are short, because stand-ins create resources within milliseconds. */
const WAIT = { minDelay: 0.01, maxDelay: 0.1, maxWaitTime: 60 };

/**
 * Creates a table if it does not exist, and waits until it is active. The stand-in responds before the table is active,
 * and rejects requests to a table that is not active.
 */
export async function ensureTable(client: DynamoDBClient, input: CreateTableCommandInput): Promise<void> {
  await createdNow(client.send(new CreateTableCommand(input)));
  await waitUntilTableExists({ client, ...WAIT }, { TableName: input.TableName });
}

/**
 * Creates a stream if it does not exist, and waits until it is active.
 *
 * @returns whether it was created
 */
export async function ensureStream(client: KinesisClient, input: CreateStreamCommandInput): Promise<boolean> {
  const isNew = await createdNow(client.send(new CreateStreamCommand(input)));
  await waitUntilStreamExists({ client, ...WAIT }, { StreamName: input.StreamName });
  return isNew;
}

/** Returns false if the resource existed already. */
async function createdNow(creation: Promise<unknown>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceInUseException') return false;
    throw error;
  }
}

/** Returns a table with the keys and indexes that the stacks declare. */
export function tableDefinition({ indexes }: TableShape, TableName: string) {
  const keys = [TABLE_KEYS.hash, TABLE_KEYS.range].map((name) => ({ name, type: 'S' as const }));
  const attributes = [...keys, ...indexes.flatMap(({ hash, range }) => [hash, range])];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes.map(
      ({ name, type }): AttributeDefinition => ({ AttributeName: name, AttributeType: type }),
    ),
    KeySchema: keySchema(TABLE_KEYS.hash, TABLE_KEYS.range),
    ...(indexes.length > 0 ? { GlobalSecondaryIndexes: indexes.map(indexShape) } : {}),
  } satisfies CreateTableCommandInput;
}

const indexShape = ({ name, hash, range, projection }: TableIndex) => ({
  IndexName: name,
  KeySchema: keySchema(hash.name, range.name),
  Projection: { ProjectionType: projection === 'keys' ? ('KEYS_ONLY' as const) : ('ALL' as const) },
});

const keySchema = (hash: string, range: string): KeySchemaElement[] => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];
