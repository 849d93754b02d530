/** Returns a function that calls `create` on its first call and returns the same result on every call. */
export function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

/**
 * `once` for asynchronous work. Concurrent callers share one attempt. After a failed attempt, the next call tries
 * again.
 */
export function onceAsync<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create().catch((cause: unknown) => {
      created = undefined;
      throw cause;
    });
    return created;
  };
}
