declare module 'dynalite' {
  import type { Server } from 'node:http';

  type Options = { path?: string; createTableMs?: number; deleteTableMs?: number; updateTableMs?: number };
  /** Creates a DynamoDB server that stores its data in LevelDB. Without `path`, the data is in memory. */
  export default function dynalite(options?: Options): Server;
}

declare module 'dynalite/db/index.js' {
  import type { GlobalSecondaryIndex, KeySchemaElement, TableDescription } from '@aws-sdk/client-dynamodb';

  /** The definition of a table. It has more properties than these. */
  export type StoredTable = Pick<TableDescription, 'AttributeDefinitions'> & {
    TableName: string;
    GlobalSecondaryIndexes: GlobalSecondaryIndex[];
  };
  /** An item or an index entry. Index entries have only keys and projected attributes. Values include their types. */
  export type Item = Record<string, Record<string, unknown>>;
  type Values<V> = {
    get(key: string, callback: (error: Error | null, value?: V) => void): void;
    put(key: string, value: V, callback: (error: Error | null) => void): void;
    del(key: string, callback: (error: Error | null) => void): void;
    createValueStream(): AsyncIterable<V>;
  };
  export type Store = {
    tableDb: Values<Omit<StoredTable, 'GlobalSecondaryIndexes'> & { GlobalSecondaryIndexes?: GlobalSecondaryIndex[] }>;
    getItemDb(tableName: string): Values<Item>;
    getIndexDb(type: 'Global', tableName: string, indexName: string): Values<Item>;
    lifecycleManager: { gracefulClose(): Promise<void> };
  };
  /** Opens the LevelDB store of a server that is not running. */
  export function create(options: { path: string }): Store;
  export function createIndexKey(item: Item, table: StoredTable, keySchema: KeySchemaElement[]): string;
  /** Returns the index entries that a write of `item` puts. */
  export function getIndexActions(
    indexes: GlobalSecondaryIndex[],
    existing: null,
    item: Item,
    table: StoredTable,
  ): { puts: { index: string; key: string; item: Item }[] };
}
