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

test('what was loaded is remembered, and look-ups at the same time share a load', async () => {
  const { load, loads } = setUp(10);
  expect(await Promise.all([load('a'), load('a')])).toEqual(['a', 'a']);
  expect(await load('a', 'other')).toBe('a');
  expect(loads).toEqual(['a']);
});

test('a failed load is not remembered', async () => {
  const { cache, load } = setUp(10);
  await expect(cache('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await load('a')).toBe('a');
});

test('the least recently used make room, as many as must', async () => {
  const { load, loads } = setUp(6);
  for (const key of ['a', 'bb', 'ccc', 'a', 'dddd']) await load(key);
  loads.length = 0;
  for (const key of ['a', 'dddd', 'bb']) await load(key);
  expect(loads).toEqual(['bb']);
});

test('what alone is too large is not remembered and costs the others nothing', async () => {
  const { load, loads } = setUp(3);
  await load('aaa');
  for (let run = 0; run < 2; run++) expect(await load('bbbb')).toBe('bbbb');
  await load('aaa');
  expect(loads).toEqual(['aaa', 'bbbb', 'bbbb']);
});
