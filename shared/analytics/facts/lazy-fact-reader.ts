import { onceAsync } from '../../platform/once.ts';
import type { FactReader } from './ports.ts';

/**
 * Creates the reader on first use, so that rejected requests don't load its modules. The library of DuckDB is loaded
 * even later, by the first prefetch or query of a file.
 */
export function createLazyFactReader(make: () => Promise<FactReader>): FactReader {
  const reader = onceAsync(make);
  // Errors are ignored here, because the methods that return a promise report them.
  const begin = (work: (factReader: FactReader) => void) => void reader().then(work, () => undefined);
  return {
    prefetch: (files) => begin((factReader) => factReader.prefetch(files)),
    evictExcept: (funnelId, files) => begin((factReader) => factReader.evictExcept(funnelId, files)),
    read: async (...args) => (await reader()).read(...args),
    findBySessionKeys: async (...args) => (await reader()).findBySessionKeys(...args),
    count: async (...args) => (await reader()).count(...args),
    countValues: async (...args) => (await reader()).countValues(...args),
  };
}
