import { expect, test } from 'vitest';
import { createSizeBoundedCache } from '../../../shared/platform/size-bounded-cache.ts';

const setUp = (sizeMax: number) => {
  const cache = createSizeBoundedCache<string>({ sizeMax, sizeOf: (value) => value.length });
  const loads: string[] = [];
  const load = (key: string, value = key) =>
    cache(key, async () => {
      loads.push(key);
      return value;
    });
  return { cache, load, loads };
};

test('caches loaded values, and concurrent look-ups share a load', async () => {
  const { load, loads } = setUp(10);
  expect(await Promise.all([load('a'), load('a')])).toEqual(['a', 'a']);
  expect(await load('a', 'other')).toBe('a');
  expect(loads).toEqual(['a']);
});

test('does not cache a failed load', async () => {
  const { cache, load } = setUp(10);
  await expect(cache('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await load('a')).toBe('a');
});

test('evicts as many least recently used values as necessary', async () => {
  const { load, loads } = setUp(6);
  for (const key of ['a', 'bb', 'ccc', 'a', 'dddd']) await load(key);
  loads.length = 0;
  for (const key of ['a', 'dddd', 'bb']) await load(key);
  expect(loads).toEqual(['bb']);
});

test('does not cache a value that is too large, and evicts nothing for it', async () => {
  const { load, loads } = setUp(3);
  await load('aaa');
  for (let run = 0; run < 2; run++) expect(await load('bbbb')).toBe('bbbb');
  await load('aaa');
  expect(loads).toEqual(['aaa', 'bbbb', 'bbbb']);
});
