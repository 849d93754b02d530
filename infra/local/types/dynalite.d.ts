declare module 'dynalite' {
  import type { Server } from 'node:http';

  type Options = { path?: string; createTableMs?: number; deleteTableMs?: number; updateTableMs?: number };
  /** A DynamoDB over LevelDB, in memory without `path`. */
  export default function dynalite(options?: Options): Server;
}
