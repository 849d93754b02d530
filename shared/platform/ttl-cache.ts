import type { Clock } from './clock.ts';

type CacheOptions = { clock: Clock; ttlMs: number; entriesMax: number };

/**
 * Remembers what a loader found for `ttlMs`, at most `entriesMax` of them, the oldest leaving first. What was not
 * found is not remembered: a stranger's made-up ids can't fill it, and what is created appears at once.
 * Concurrent look-ups of one key share a load; a failed load is not kept.
 */
export function createTtlCache<T>({ clock, ttlMs, entriesMax }: CacheOptions) {
  const entries = new Map<string, { value: T; expiresMs: number }>();
  const loading = new Map<string, Promise<T | undefined>>();

  const keep = (key: string, value: T) => {
    entries.delete(key);
    const oldest = entries.keys().next();
    if (entries.size >= entriesMax && !oldest.done) entries.delete(oldest.value);
    entries.set(key, { value, expiresMs: clock.now() + ttlMs });
  };

  return async (key: string, load: () => Promise<T | undefined>): Promise<T | undefined> => {
    const known = entries.get(key);
    if (known !== undefined && known.expiresMs > clock.now()) return known.value;
    const underWay = loading.get(key);
    if (underWay !== undefined) return underWay;
    const started = load()
      .then((value) => {
        if (value !== undefined) keep(key, value);
        return value;
      })
      .finally(() => loading.delete(key));
    loading.set(key, started);
    return started;
  };
}
