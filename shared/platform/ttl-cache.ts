import type { Clock } from './clock.ts';

type CacheOptions = { clock: Clock; ttlMs: number; entriesMax: number };

/**
 * Caches loaded values for `ttlMs`. A full cache of `entriesMax` values evicts its oldest value. `undefined` is not
 * cached, so that made-up ids can't fill the cache and new items are visible immediately. Concurrent look-ups of a key
 * share one load.
 */
export function createTtlCache<T>({ clock, ttlMs, entriesMax }: CacheOptions) {
  const entries = new Map<string, { value: T; expiresMs: number }>();
  const pending = new Map<string, Promise<T | undefined>>();

  const set = (key: string, value: T) => {
    entries.delete(key);
    const oldest = entries.keys().next();
    if (entries.size >= entriesMax && !oldest.done) entries.delete(oldest.value);
    entries.set(key, { value, expiresMs: clock.now() + ttlMs });
  };

  return async (key: string, load: () => Promise<T | undefined>): Promise<T | undefined> => {
    const cached = entries.get(key);
    if (cached !== undefined && cached.expiresMs > clock.now()) return cached.value;
    const loading = pending.get(key);
    if (loading !== undefined) return loading;
    const started = load()
      .then((value) => {
        if (value !== undefined) set(key, value);
        return value;
      })
      .finally(() => pending.delete(key));
    pending.set(key, started);
    return started;
  };
}
