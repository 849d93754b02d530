declare module 's3rver' {
  type Options = {
    address: string;
    port: number;
    directory: string;
    silent: boolean;
    allowMismatchedSignatures: boolean;
    vhostBuckets: boolean;
    configureBuckets: { name: string }[];
  };
  type StoredObject = { bucket: string; key: string };
  type Store = {
    putObject(object: StoredObject): Promise<{ size: number; md5: string }>;
    getResourcePath(bucket: string, key: string, resource: string): string;
  };
  /** An S3 over files. */
  export default class S3rver {
    store: Store;
    constructor(options: Options);
    run(): Promise<{ port: number }>;
  }
}
