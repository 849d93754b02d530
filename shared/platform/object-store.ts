import type { Lease } from './lease.ts';

/** An object of a store as a listing names it. */
export type StoredObject = {
  key: string;
  bytes: number;
  /** When it was written, milliseconds since the epoch. */
  atMs: number;
};

/** One bucket. Objects of analytics are written once: a key's only version is what was put. */
export type ObjectStore = {
  /** Every object below a prefix, in the order of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Undefined when there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** Takes an object away so that no version is left; one that is gone already is no error. */
  deleteAllVersions(key: string): Promise<void>;
};

/** The same bucket, in which nothing is changed any more once the turn is lost. */
export const withLeaseGuard = (objects: ObjectStore, { assertHeld: confirm }: Lease): ObjectStore => ({
  ...objects,
  ...{ put: after(confirm, objects.put), deleteAllVersions: after(confirm, objects.deleteAllVersions) },
});

const after =
  <A extends unknown[]>(confirm: Lease['assertHeld'], write: (...given: A) => Promise<void>) =>
  async (...given: A): Promise<void> => {
    await confirm();
    await write(...given);
  };

export type NoncurrentVersions = {
  /** Takes the versions away that a versioned bucket keeps of objects it lists no more. @returns how many */
  remove(prefix: string): Promise<number>;
};
