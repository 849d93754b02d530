import {
  DENIAL,
  type DeviceState,
  deletedIds,
  deleteIds,
  emptyState,
  removeExpired,
  resetIds,
} from './device-state.ts';
import { withLocalStorage } from './local-storage.ts';

export type StateStorage = {
  /**
   * Changes the state atomically, in the order of the calls, and one tab at a time. Resolves with the result of
   * `change` when the state is stored. If storing the state fails, may call `change` again.
   */
  update<T>(change: (state: DeviceState) => T): Promise<T>;
  /** Ensures that the denial holds even if the page ends before the state is stored. */
  noteDenial(): void;
  /**
   * Ensures that a reset holds even if the page ends before the state is stored. Covers only what this page has read or
   * stored.
   */
  noteReset(): void;
  /**
   * Whether this device has stored nothing. Then the page knows without a transaction that the state is empty.
   * Transactions are slow during the load. Undefined if `localStorage` is blocked.
   */
  isNew(): boolean | undefined;
};

/** See `StateStorage.isNew`. */
export const isNewDevice = (name: string): boolean | undefined =>
  withLocalStorage((local) => local.getItem(name) === null);

const STORE = 'state';
/** Timeout for opening the database. Some browsers sometimes neither open a database nor report an error. */
const OPEN_TIMEOUT_MS = 3_000;

/**
 * Stores the state as one record in IndexedDB. A transaction reads, changes and writes the record. Therefore, a crash
 * leaves either the old or the new state, and tabs never overwrite each other's changes. If IndexedDB fails twice in a
 * row, for example in private mode or with a full disk, the state stays in memory. Then a note in `localStorage` lists
 * the ids of what was deleted, because the database still contains it. Without the note, a later visit could send an
 * old submit after newer ones. The first update writes an empty note, so a device without a note has no database.
 *
 * @param ready all updates wait until it resolves
 */
export function createStorage(name: string, ready: Promise<unknown> = Promise.resolve()): StateStorage {
  let database: Promise<IDBDatabase> | undefined;
  let known: DeviceState | undefined;
  let isInMemory = false;
  let last = ready;
  const isNew = () => isNewDevice(name);
  /** Ids of entries that are deleted, but that the database still contains. */
  const readNote = () => withLocalStorage((local) => local.getItem(name)) ?? '';
  const writeNote = (ids: Iterable<string | undefined>) =>
    withLocalStorage((local) => local.setItem(name, [...ids].join()));

  async function inDatabase<T>(change: (state: DeviceState) => T): Promise<T> {
    database ??= open(name);
    try {
      const transaction = (await database).transaction(STORE, 'readwrite');
      return await new Promise((resolve, reject) => {
        const store = transaction.objectStore(STORE);
        const read = store.get(STORE);
        let state: DeviceState;
        let result: T;
        let note: string;
        read.onsuccess = () => {
          note = readNote();
          state = removeExpired(deleteIds(read.result ?? emptyState(), note));
          result = change(state);
          store.put(removeExpired(state), STORE);
        };
        transaction.oncomplete = () => {
          known = state;
          if (note && note === readNote()) writeNote([]);
          resolve(result);
        };
        transaction.onabort = () => reject(transaction.error);
      });
    } catch (error) {
      // The browser may have closed the connection. The next try opens another one.
      database = undefined;
      throw error;
    }
  }

  function inMemory<T>(change: (state: DeviceState) => T): T {
    isInMemory = true;
    known = removeExpired(known ?? deleteIds(emptyState(), readNote()));
    const before = { ...known, handles: { ...known.handles } };
    const result = change(known);
    const ids = new Set([...readNote().split(','), ...deletedIds(before, removeExpired(known))]);
    if (before.isDenied && !known.isDenied) ids.delete(DENIAL);
    writeNote(ids);
    return result;
  }

  const run = <T>(change: (state: DeviceState) => T): T | Promise<T> =>
    isInMemory
      ? inMemory(change)
      : inDatabase(change)
          .catch(() => inDatabase(change))
          .catch(() => inMemory(change));

  return {
    update: (change) => {
      if (isNew()) writeNote([]);
      const updated = last.then(() => run(change));
      last = updated.catch(() => undefined);
      return updated;
    },
    noteDenial: () => writeNote([readNote(), DENIAL]),
    noteReset() {
      if (known) writeNote([readNote(), ...resetIds(known)]);
    },
    isNew,
  };
}

const open = (name: string): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    setTimeout(reject, OPEN_TIMEOUT_MS);
    // Throws if the browser blocks the storage of this page.
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onerror = reject;
    request.onsuccess = () => {
      const { result } = request;
      // Closes the database if another tab has a newer client or the browser deletes the page's data. Both would
      // otherwise wait for this tab.
      result.onversionchange = () => result.close();
      resolve(result);
    };
  });
