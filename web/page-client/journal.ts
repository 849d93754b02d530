import { withLocalStorage } from './local-storage.ts';

export type Journal<Entry> = {
  add(entry: Entry): void;
  /** The entries of all tabs, oldest first. */
  read(): Entry[];
  remove(entries: readonly Entry[]): void;
};

/**
 * Keeps entries in `localStorage` until they are stored in IndexedDB. A transaction of IndexedDB takes some
 * milliseconds, during which the page can end. `localStorage` keeps an entry even if the process of the page is killed
 * in the task that wrote it.
 */
export function createJournal<Id extends string, Entry extends Record<Id, string> & { atMs: number }>(
  prefix: string,
  id: Id,
): Journal<Entry> {
  return {
    add: (entry) => withLocalStorage((storage) => storage.setItem(prefix + entry[id], JSON.stringify(entry))),
    read: () =>
      withLocalStorage((storage): Entry[] =>
        Object.keys(storage)
          .flatMap((key) => (key.startsWith(prefix) ? JSON.parse(storage[key]) : []))
          .sort((one, other) => one.atMs - other.atMs),
      ) ?? [],
    remove: (entries) => {
      for (const entry of entries) withLocalStorage((storage) => delete storage[prefix + entry[id]]);
    },
  };
}
