import { onceResolved } from '../../platform/once.ts';
import type { FactReader } from './fact-files.ts';

/** A reader that is made when a question is first put to it: a request that is refused needs none. */
export function lazyFactReader(make: () => Promise<FactReader>): FactReader {
  const reader = onceResolved(make);
  return {
    // What fails here, the questions tell.
    prepare: (files) =>
      void reader().then(
        ({ prepare }) => prepare(files),
        () => undefined,
      ),
    read: async (...asked) => (await reader()).read(...asked),
    find: async (...asked) => (await reader()).find(...asked),
    count: async (...asked) => (await reader()).count(...asked),
    countValues: async (...asked) => (await reader()).countValues(...asked),
  };
}
