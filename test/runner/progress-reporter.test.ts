import { describe, expect, test } from 'vitest';
import { remainingMs } from './progress-reporter.ts';

describe('the time left', () => {
  test('is unknown until a file has ended', () => {
    expect(remainingMs([1_000], { files: 0, elapsedMs: 500, durationMs: 0, expectedMs: 0 })).toBeUndefined();
  });

  test('is the last duration of the remaining files divided by the number of workers, if this run is as fast as the last', () => {
    const done = { files: 4, elapsedMs: 10_000, durationMs: 20_000, expectedMs: 20_000 };
    expect(remainingMs([6_000, 4_000], done)).toBe(5_000);
  });

  test('is twice as long if this run is half as fast as the last run', () => {
    const done = { files: 4, elapsedMs: 10_000, durationMs: 20_000, expectedMs: 10_000 };
    expect(remainingMs([6_000, 4_000], done)).toBe(10_000);
  });

  test('is unknown if most of the remaining files never ran', () => {
    const done = { files: 4, elapsedMs: 10_000, durationMs: 20_000, expectedMs: 20_000 };
    expect(remainingMs([5_000, undefined, undefined], done)).toBeUndefined();
  });

  test('uses the average of this run for a file that never ran', () => {
    const done = { files: 4, elapsedMs: 10_000, durationMs: 20_000, expectedMs: 20_000 };
    expect(remainingMs([5_000, undefined], done)).toBe(5_000);
  });
});
