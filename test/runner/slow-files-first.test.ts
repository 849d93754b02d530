import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SLOW_FILES } from './slow-files-first.ts';

test('each of the slow files exists', () => {
  expect([...SLOW_FILES].filter((file) => !existsSync(file))).toEqual([]);
});
