declare module 'dynalite' {
  import type { Server } from 'node:http';

  type Options = { path?: string; createTableMs?: number; deleteTableMs?: number; updateTableMs?: number };
  /** Creates a DynamoDB server that stores its data in LevelDB. Without `path`, the data is in memory. */
  export default function dynalite(options?: Options): Server;
}
