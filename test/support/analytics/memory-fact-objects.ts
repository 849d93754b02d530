import type { FactObjectReader, FactObjectWriter } from '../../../shared/analytics/facts/ports.ts';

/** In-memory stored objects; a test may read, damage or remove them. */
export function createMemoryFactObjects(): FactObjectReader &
  FactObjectWriter & { stored: Map<string, Uint8Array>; gets: string[] } {
  const stored = new Map<string, Uint8Array>();
  const gets: string[] = [];
  return {
    stored,
    gets,
    put: async (key, bytes) => {
      stored.set(key, Uint8Array.from(bytes));
    },
    get: async (key) => {
      gets.push(key);
      const bytes = stored.get(key);
      if (bytes === undefined) throw new Error(`There is no object ${key}.`);
      return bytes;
    },
  };
}
