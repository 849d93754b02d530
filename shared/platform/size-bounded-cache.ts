type CacheOptions<T> = { sizeMax: number; sizeOf: (value: T, key: string) => number };

/**
 * Caches loaded values up to a total size of `sizeMax` and evicts the least recently used ones. A value that is larger
 * than `sizeMax` is not cached. Concurrent loads of a key are shared; failed loads are not cached.
 */
export function createSizeBoundedCache<T>({ sizeMax, sizeOf }: CacheOptions<T>) {
  const entries = new Map<string, { value: T; size: number }>();
  const pending = new Map<string, Promise<T>>();
  let totalSize = 0;

  const evict = (key: string) => {
    totalSize -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  const set = (key: string, value: T, size = sizeOf(value, key)) => {
    if (size > sizeMax) return;
    evict(key);
    entries.set(key, { value, size });
    totalSize += size;
    for (const [oldest] of entries) {
      if (totalSize <= sizeMax) return;
      evict(oldest);
    }
  };

  return (key: string, load: () => Promise<T>): Promise<T> => {
    const cached = entries.get(key);
    if (cached !== undefined) {
      set(key, cached.value, cached.size);
      return Promise.resolve(cached.value);
    }
    const started =
      pending.get(key) ??
      load()
        .then((value) => {
          set(key, value);
          return value;
        })
        .finally(() => pending.delete(key));
    pending.set(key, started);
    return started;
  };
}
