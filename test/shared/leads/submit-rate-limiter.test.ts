import { expect, test } from 'vitest';
import { HttpError } from '../../../shared/http/errors.ts';
import { createInMemorySubmitRateLimiter, LEAD_SUBMITS_PER_MINUTE } from '../../../shared/leads/submit-rate-limiter.ts';

function setUp(perMinute?: number) {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const limiter = createInMemorySubmitRateLimiter(clock, perMinute);
  const isAllowed = (lead: string) => {
    try {
      limiter.consume(lead);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(HttpError);
      return false;
    }
  };
  return { clock, limiter, isAllowed };
}

test('429: after 30 submits of a lead in a minute, further submits are rejected until the minute ends', () => {
  const { clock, isAllowed } = setUp();
  const passed = Array.from({ length: 40 }, () => isAllowed('a')).filter(Boolean);
  expect(passed).toHaveLength(LEAD_SUBMITS_PER_MINUTE);
  clock.ms += 59_999;
  expect(isAllowed('a')).toBe(false);
  clock.ms += 1;
  expect(isAllowed('a')).toBe(true);
});

test('the submits of each lead are counted separately', () => {
  const { isAllowed } = setUp(1);
  expect([isAllowed('a'), isAllowed('a'), isAllowed('b')]).toEqual([true, false, true]);
});

test('429: the error of a submit above the limit contains the rate limit headers', () => {
  const { clock, limiter } = setUp(1);
  limiter.consume('a');
  clock.ms += 20_500;
  expect(() => limiter.consume('a')).toThrowError(
    expect.objectContaining({
      status: 429,
      headers: {
        'Retry-After': '40',
        'RateLimit-Limit': '1',
        'RateLimit-Remaining': '0',
        'RateLimit-Reset': '40',
        RateLimit: '"funnel-submit-lead";r=0;t=40',
        'RateLimit-Policy': '"funnel-submit-lead";q=1;w=60',
      },
    }),
  );
});

test('a funnel’s submit limit replaces the default, and has no effect if the limiter is disabled', () => {
  const passed = (limiter: ReturnType<typeof setUp>['limiter'], perMinute: number) =>
    Array.from({ length: 50 }, () => {
      try {
        limiter.consume('a', perMinute);
        return 1;
      } catch {
        return 0;
      }
    }).reduce<number>((sum, one) => sum + one, 0);
  expect(passed(setUp().limiter, 3)).toBe(3);
  expect(passed(setUp().limiter, 40)).toBe(40);
  expect(passed(setUp(Number.POSITIVE_INFINITY).limiter, 3)).toBe(50);
});

test('a disabled submit rate limiter allows 1,000 submits in a minute', () => {
  const { isAllowed } = setUp(Number.POSITIVE_INFINITY);
  expect(Array.from({ length: 1_000 }, () => isAllowed('a')).every(Boolean)).toBe(true);
});

test('the limiter keeps the counts of at most 10,000 leads, and removes the oldest count first', () => {
  const { isAllowed } = setUp(1);
  isAllowed('first');
  for (let lead = 0; lead < 9_999; lead++) isAllowed(`${lead}`);
  expect(isAllowed('first')).toBe(false);
  isAllowed('one more');
  expect(isAllowed('first')).toBe(true);
});
