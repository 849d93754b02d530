import { factObjectKey } from '../../../shared/analytics/facts/fact-files.ts';
import type { FactFileStore } from '../../../shared/analytics/facts/ports.ts';

/** In-memory objects of fact files. A test may read, damage or remove them. */
export function createMemoryFactObjects(): Pick<FactFileStore, 'get' | 'put'> & {
  stored: Map<string, Uint8Array>;
  gets: string[];
} {
  const stored = new Map<string, Uint8Array>();
  const gets: string[] = [];
  return {
    stored,
    gets,
    put: async (name, bytes) => {
      stored.set(factObjectKey({ name }), Uint8Array.from(bytes));
    },
    get: async (name) => {
      const key = factObjectKey({ name });
      gets.push(key);
      const bytes = stored.get(key);
      if (bytes === undefined) throw new Error(`There is no object ${key}.`);
      return bytes;
    },
  };
}
