import { type AttributeDefinition, CreateTableCommand, type KeySchemaElement } from '@aws-sdk/client-dynamodb';
import { TABLE_KEYS, type TableIndex, type TableShape } from '../../stacks/data/tables.ts';

export function createTableCommand({ indexes }: TableShape, TableName: string): CreateTableCommand {
  const keys = [TABLE_KEYS.hash, TABLE_KEYS.range].map((name) => ({ name, type: 'S' as const }));
  const attributes = [...keys, ...indexes.flatMap(({ hash, range }) => [hash, range])];
  return new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes.map(
      ({ name, type }): AttributeDefinition => ({ AttributeName: name, AttributeType: type }),
    ),
    KeySchema: keySchema(TABLE_KEYS.hash, TABLE_KEYS.range),
    ...(indexes.length > 0 ? { GlobalSecondaryIndexes: indexes.map(indexShape) } : {}),
  });
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
