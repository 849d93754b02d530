import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../../shared/webhooks/retry-after.ts';

const nowMs = Date.UTC(2026, 10, 23, 18, 0, 0, 500);

test.each([
  ['0', 0],
  ['120', 120],
  ['Mon, 23 Nov 2026 18:02:00 GMT', 120],
  ['Mon, 23 Nov 2026 17:00:00 GMT', 0],
])('Retry-After: %s means %i seconds', (value, seconds) => {
  expect(parseRetryAfter(value, nowMs)).toBe(seconds);
});

test.each([
  undefined,
  '',
  '-5',
  '1.5',
  '1e9',
  '99999999999999999999',
  'soon',
  '2026-11-23T18:02:00Z',
  'Mon, 99 Nov 2026 18:00:00 GMT',
])('Retry-After: %j is ignored', (value) => {
  expect(parseRetryAfter(value, nowMs)).toBeUndefined();
});
