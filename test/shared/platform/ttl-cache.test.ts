import { expect, test } from 'vitest';
import { createTtlCache } from '../../../shared/platform/ttl-cache.ts';

const never = async () => Promise.reject(new Error('loaded again'));

test('concurrent look-ups of a key that is not cached share one load', async () => {
  const cache = createTtlCache<number>({ clock: { now: () => 0 }, ttlMs: 10, entriesMax: 10 });
  let loads = 0;
  const load = async () => ++loads;
  expect(await Promise.all([cache('a', load), cache('a', load)])).toEqual([1, 1]);
});

test('a failed load is not cached', async () => {
  const cache = createTtlCache<number>({ clock: { now: () => 0 }, ttlMs: 10, entriesMax: 10 });
  await expect(cache('a', never)).rejects.toThrow('loaded again');
  expect(await cache('a', async () => 2)).toBe(2);
});

test('a full cache evicts its oldest value, and missing values are not cached', async () => {
  const cache = createTtlCache<number>({ clock: { now: () => 0 }, ttlMs: 10, entriesMax: 2 });
  await cache('a', async () => 1);
  await cache('b', async () => 2);
  for (const stranger of ['x', 'y', 'z']) expect(await cache(stranger, async () => undefined)).toBeUndefined();
  expect(await cache('a', never)).toBe(1);
  await cache('c', async () => 3);
  expect(await cache('a', async () => 4)).toBe(4);
  expect(await cache('c', never)).toBe(3);
});
