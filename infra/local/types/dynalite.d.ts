declare module 'dynalite' {
  import type { Server } from 'node:http';

  type Options = { path?: string; createTableMs?: number; deleteTableMs?: number; updateTableMs?: number };
  /** Creates a DynamoDB server that stores its data in LevelDB. Without `path`, the data is in memory. */
  export default function dynalite(options?: Options): Server;
}

declare module 'dynalite/db/index.js' {
  import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

  type Table = Pick<CreateTableCommandInput, 'AttributeDefinitions' | 'GlobalSecondaryIndexes'>;
  type Tables = {
    get(name: string, callback: (error: Error | null, table?: Table) => void): void;
    put(name: string, table: Table, callback: (error: Error | null) => void): void;
  };
  /** Opens the LevelDB store of a server that is not running. */
  export function create(options: { path: string }): {
    tableDb: Tables;
    lifecycleManager: { gracefulClose(): Promise<void> };
  };
}
