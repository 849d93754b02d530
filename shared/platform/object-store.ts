import type { Lease } from './lease.ts';

export type StoredObject = {
  key: string;
  bytes: number;
  /** When the object was written, milliseconds since the epoch. */
  atMs: number;
};

/**
 * One bucket. Only the facts bucket has versioning, and its files are never overwritten. Therefore each object has at
 * most one version.
 */
export type ObjectStore = {
  /** Lists every object below a prefix, in the order of the keys. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** @returns undefined when there is no such object */
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** Deletes an object permanently, also in a versioned bucket. Does nothing if the object does not exist. */
  deleteAllVersions(key: string): Promise<void>;
};

/** Returns the same bucket, but each write first calls `assertHeld`, which throws if the lease is lost. */
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
  /**
   * Deletes the versions that a versioned bucket keeps of deleted and overwritten objects below a prefix.
   *
   * @returns the number of deleted versions
   */
  remove(prefix: string): Promise<number>;
};
