declare module 'kinesalite' {
  import type { Server } from 'node:http';

  type Options = { path?: string; createStreamMs?: number; deleteStreamMs?: number; updateStreamMs?: number };
  /** A Kinesis over LevelDB, in memory without `path`. */
  export default function kinesalite(options?: Options): Server;
}
