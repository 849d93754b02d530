import type { Lease } from './lease.ts';

/** An object as a listing returns it. */
export type StoredObject = {
  key: string;
  bytes: number;
  /** When it was written, milliseconds since the epoch. */
  atMs: number;
};

/** One bucket whose objects are written once: a key has only one version. */
export type ObjectStore = {
  /** Every object below a prefix, in the order of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** @returns undefined when there is no such object */
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** Deletes an object and its version. Deleting a missing object is no error. */
  deleteAllVersions(key: string): Promise<void>;
};

/** The same bucket; its writes fail once the lease is lost. */
export const withLeaseGuard = (objects: ObjectStore, { assertHeld: confirm }: Lease): ObjectStore => ({
  ...objects,
  put: after(confirm, objects.put),
  deleteAllVersions: after(confirm, objects.deleteAllVersions),
});

const after =
  <A extends unknown[]>(confirm: Lease['assertHeld'], write: (...given: A) => Promise<void>) =>
  async (...given: A): Promise<void> => {
    await confirm();
    await write(...given);
  };

export type NoncurrentVersions = {
  /** Deletes the versions that a versioned bucket keeps of deleted objects below a prefix. @returns their number */
  remove(prefix: string): Promise<number>;
};
