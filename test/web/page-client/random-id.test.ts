import { validate, version } from 'uuid';
import { expect, test } from 'vitest';
import { randomId } from '../../../web/page-client/random-id.ts';

test('ids are different UUIDs of version 4', () => {
  const ids = Array.from({ length: 1_000 }, randomId);
  expect(ids.filter((id) => !validate(id) || version(id) !== 4)).toEqual([]);
  expect(new Set(ids).size).toBe(1_000);
});
