/**
 * Caches the results of a function for the `entriesMax` keys that were added last. A promise stays cached even if it
 * rejects.
 */
export function memoize<T>(entriesMax: number, compute: (key: string) => T): (key: string) => T {
  const cache = new Map<string, T>();
  return (key) => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const value = compute(key);
    const oldest = cache.keys().next();
    if (cache.size >= entriesMax && !oldest.done) cache.delete(oldest.value);
    cache.set(key, value);
    return value;
  };
}
