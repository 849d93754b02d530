/** Calls `make` on the first use and keeps its result. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Like `once` for what takes time: callers at the same time share one attempt, and a failed one is forgotten. */
export function onceAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((cause: unknown) => {
      made = undefined;
      throw cause;
    });
    return made;
  };
}
