declare module 's3rver' {
  import type { IncomingMessage } from 'node:http';
  import type { Readable } from 'node:stream';

  type Options = {
    address: string;
    port: number;
    directory: string;
    silent: boolean;
    allowMismatchedSignatures: boolean;
    vhostBuckets: boolean;
    configureBuckets: { name: string; configs?: string[] }[];
  };
  type StoredObject = { bucket: string; key: string; content?: Buffer | Readable; metadata?: Record<string, string> };
  type Store = {
    putObject(object: StoredObject): Promise<{ size: number; md5: string }>;
    getResourcePath(bucket: string, key: string, resource: string): string;
  };
  type Context = {
    req: IncomingMessage;
    method: string;
    path: string;
    status: number;
    type: string;
    body: unknown;
    set(name: string, value: string): void;
  };
  type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>;
  /** An S3 server that stores objects in files. It is a Koa application. */
  export default class S3rver {
    store: Store;
    middleware: Middleware[];
    constructor(options: Options);
    run(): Promise<{ port: number }>;
  }
}
