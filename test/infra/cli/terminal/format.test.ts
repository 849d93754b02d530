import { expect, test } from 'vitest';
import { formatBytes } from '../../../../infra/cli/terminal/format.ts';

test('a size of 1 KB or more is formatted with one decimal, in the unit that it has after rounding', () => {
  expect([0, 999, 1_000, 12_345, 999_949, 999_950, 2.5e9, 1.2e15, 3e18].map(formatBytes)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 KB',
    '12.3 KB',
    '999.9 KB',
    '1.0 MB',
    '2.5 GB',
    '1200.0 TB',
    '3000000.0 TB',
  ]);
});
