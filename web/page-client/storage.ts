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
   * `change` when the change is stored. Can run `change` again, if the first try could not be stored.
   */
  update<T>(change: (state: DeviceState) => T): Promise<T>;
  /** Makes the denial hold also if the page ends before the state is stored. */
  noteDenial(): void;
  /**
   * Makes a reset hold also if the page ends before the state is stored. Covers only what this page has read or stored.
   */
  noteReset(): void;
  /**
   * Whether this device has stored nothing. If so, the page knows that the state is empty, without a transaction, which
   * is slow at load. Undefined where `localStorage` is blocked.
   */
  isNew(): boolean | undefined;
};

/** See `StateStorage.isNew`. */
export const isNewDevice = (name: string): boolean | undefined =>
  withLocalStorage((local) => local.getItem(name) === null);

const STORE = 'state';
/** Some browsers sometimes neither open a database nor report an error. */
const OPEN_TIMEOUT_MS = 3_000;

/**
 * Stores the state as one record in IndexedDB. A transaction reads, changes and writes it, so that a crash leaves
 * either the old or the new state, and tabs never overwrite each other's changes. Where IndexedDB fails twice in a row,
 * for example in private mode or with a full disk, the state stays in memory, and deletions do not reach the database.
 * Therefore, a note in `localStorage` lists the ids of what was deleted. Without it, a later visit could send an old
 * submit after newer ones. The first update writes the note, so a device without a note has no database.
 *
 * @param ready all updates wait until it resolves
 */
export function createStorage(name: string, ready: Promise<unknown> = Promise.resolve()): StateStorage {
  let database: Promise<IDBDatabase> | undefined;
  let known: DeviceState | undefined;
  let isInMemory = false;
  let last = ready;
  const isNew = () => isNewDevice(name);
  /** Ids of what is deleted, but still in the database. */
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
      // Another tab with a newer client, or a deletion of the page's data, must not wait for this tab.
      result.onversionchange = () => result.close();
      resolve(result);
    };
  });
