import { expect, test } from 'vitest';
import { HttpError } from '../../../shared/http/errors.ts';
import { createInMemorySubmitRateLimiter, LEAD_SUBMITS_PER_MINUTE } from '../../../shared/leads/submit-rate-limiter.ts';

function setUp(perMinute?: number) {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const pace = createInMemorySubmitRateLimiter(clock, perMinute);
  const isAllowed = (lead: string) => {
    try {
      pace.consume(lead);
      return true;
    } catch (problem) {
      expect(problem).toBeInstanceOf(HttpError);
      return false;
    }
  };
  return { clock, pace, isAllowed };
}

test('30 submits of a lead in a minute pass, further ones wait for the minute to end', () => {
  const { clock, isAllowed } = setUp();
  const passed = Array.from({ length: 40 }, () => isAllowed('a')).filter(Boolean);
  expect(passed).toHaveLength(LEAD_SUBMITS_PER_MINUTE);
  clock.ms += 59_999;
  expect(isAllowed('a')).toBe(false);
  clock.ms += 1;
  expect(isAllowed('a')).toBe(true);
});

test('one lead does not use up another one', () => {
  const { isAllowed } = setUp(1);
  expect([isAllowed('a'), isAllowed('a'), isAllowed('b')]).toEqual([true, false, true]);
});

test('the refusal says when to come back', () => {
  const { clock, pace } = setUp(1);
  pace.consume('a');
  clock.ms += 20_500;
  expect(() => pace.consume('a')).toThrowError(
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

test('a funnel’s own limit takes the place of the service’s, not of having none', () => {
  const passed = (pace: ReturnType<typeof setUp>['pace'], perMinute: number) =>
    Array.from({ length: 50 }, () => {
      try {
        pace.consume('a', perMinute);
        return 1;
      } catch {
        return 0;
      }
    }).reduce<number>((sum, one) => sum + one, 0);
  expect(passed(setUp().pace, 3)).toBe(3);
  expect(passed(setUp().pace, 40)).toBe(40);
  expect(passed(setUp(Number.POSITIVE_INFINITY).pace, 3)).toBe(50);
});

test('without a limit everything passes', () => {
  const { isAllowed } = setUp(Number.POSITIVE_INFINITY);
  expect(Array.from({ length: 1_000 }, () => isAllowed('a')).every(Boolean)).toBe(true);
});

test('ever new leads push out the oldest ones instead of filling the memory', () => {
  const { isAllowed } = setUp(1);
  isAllowed('first');
  for (let lead = 0; lead < 9_999; lead++) isAllowed(`${lead}`);
  expect(isAllowed('first')).toBe(false);
  isAllowed('one more');
  expect(isAllowed('first')).toBe(true);
});
