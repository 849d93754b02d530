type CacheOptions<T> = { sizeMax: number; sizeOf: (value: T, key: string) => number };

/**
 * Remembers what was loaded for good, as many values as together have at most `sizeMax`, the least recently used
 * leaving first. Concurrent look-ups of one key share a load; a failed load is not kept, nor is a value that alone is
 * too large.
 */
export function createSizeBoundedCache<T>({ sizeMax, sizeOf }: CacheOptions<T>) {
  const entries = new Map<string, { value: T; size: number }>();
  const loading = new Map<string, Promise<T>>();
  let held = 0;

  const forget = (key: string) => {
    held -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  const keep = (key: string, value: T, size = sizeOf(value, key)) => {
    if (size > sizeMax) return;
    forget(key);
    entries.set(key, { value, size });
    held += size;
    for (const [oldest] of entries) {
      if (held <= sizeMax) return;
      forget(oldest);
    }
  };

  return (key: string, load: () => Promise<T>): Promise<T> => {
    const known = entries.get(key);
    if (known !== undefined) {
      keep(key, known.value, known.size);
      return Promise.resolve(known.value);
    }
    const started =
      loading.get(key) ??
      load()
        .then((value) => {
          keep(key, value);
          return value;
        })
        .finally(() => loading.delete(key));
    loading.set(key, started);
    return started;
  };
}
