import type { ObjectStore } from '../../../shared/platform/object-store.ts';

/** An in-memory bucket without versions. */
export function createMemoryObjectStore(): ObjectStore & { stored: Map<string, Uint8Array> } {
  const stored = new Map<string, Uint8Array>();
  return {
    stored,
    list: async function* (prefix) {
      const keys = [...stored.keys()].filter((key) => key.startsWith(prefix)).sort();
      for (const key of keys) yield { key, bytes: stored.get(key)?.length ?? 0, atMs: 0 };
    },
    get: async (key) => stored.get(key),
    put: async (key, bytes) => void stored.set(key, bytes),
    deleteAllVersions: async (key) => void stored.delete(key),
  };
}

export async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}
