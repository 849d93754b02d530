import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backOff, remainingMs } from '../../../web/page-client/retry-schedule.ts';

const NOW = 1_800_000_000_000;

test('delays grow to at most a minute, and have jitter', () => {
  const failures = fc.integer({ min: 0, max: 2_000 });
  fc.assert(
    fc.property(failures, (count) => {
      const { untilMs } = backOff({ failures: count, sinceMs: 0, untilMs: 0, isRequested: false }, 0, NOW);
      const longest = Math.min(60_000, 1_000 * 2 ** count);
      expect(untilMs - NOW).toBeGreaterThanOrEqual(longest / 2);
      expect(untilMs - NOW).toBeLessThanOrEqual(longest);
    }),
  );
  expect(new Set(Array.from({ length: 20 }, () => backOff(undefined, 0, NOW).untilMs)).size).toBeGreaterThan(1);
});

test('if Retry-After is longer than the delay, it replaces the delay; more than an hour counts as an hour', () => {
  expect(remainingMs(backOff(undefined, 120_000, NOW), NOW)).toBe(120_000);
  expect(remainingMs(backOff(undefined, 9e9, NOW), NOW)).toBe(3_600_000);
});

test.each([1, 86_400_000])('a clock that is moved back by %i ms does not delay the next attempt', (ms) => {
  const backoff = backOff(undefined, 0, NOW);
  expect(remainingMs(backoff, NOW)).toBeGreaterThan(0);
  expect(remainingMs(backoff, NOW - ms)).toBe(0);
});
