import { onceAsync } from '../../platform/once.ts';
import type { FactReader } from './fact-files.ts';

/** A reader that is made when a question is first put to it: a request that is refused needs none. */
export function createLazyFactReader(make: () => Promise<FactReader>): FactReader {
  const reader = onceAsync(make);
  // What fails here, the questions tell.
  const begin = (work: (made: FactReader) => void) => void reader().then(work, () => undefined);
  return {
    prefetch: (files) => begin((made) => made.prefetch(files)),
    evictExcept: (funnelId, files) => begin((made) => made.evictExcept(funnelId, files)),
    read: async (...asked) => (await reader()).read(...asked),
    findBySessionKeys: async (...asked) => (await reader()).findBySessionKeys(...asked),
    count: async (...asked) => (await reader()).count(...asked),
    countValues: async (...asked) => (await reader()).countValues(...asked),
  };
}
