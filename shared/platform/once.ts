/** Calls `create` on first use and returns its result from then on. */
export function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

/** Like `once` for asynchronous work: concurrent callers share one attempt, and a failed attempt is retried by the next call. */
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
