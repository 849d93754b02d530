declare module 'kinesalite' {
  import type { Server } from 'node:http';

  type Options = { path?: string; createStreamMs?: number; deleteStreamMs?: number; updateStreamMs?: number };
  /** Creates a Kinesis server that stores its data in LevelDB. Without `path`, the data is in memory. */
  export default function kinesalite(options?: Options): Server;
}
