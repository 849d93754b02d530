import { onceAsync } from '../../platform/once.ts';
import type { FactReader } from './fact-files.ts';

/** A reader that is made when a question is first put to it: a request that is refused needs none. */
export function lazyFactReader(make: () => Promise<FactReader>): FactReader {
  const reader = onceAsync(make);
  // What fails here, the questions tell.
  const begin = (work: (made: FactReader) => void) => void reader().then(work, () => undefined);
  return {
    prepare: (files) => begin((made) => made.prepare(files)),
    keepOnly: (funnelId, files) => begin((made) => made.keepOnly(funnelId, files)),
    read: async (...asked) => (await reader()).read(...asked),
    find: async (...asked) => (await reader()).find(...asked),
    count: async (...asked) => (await reader()).count(...asked),
    countValues: async (...asked) => (await reader()).countValues(...asked),
  };
}
