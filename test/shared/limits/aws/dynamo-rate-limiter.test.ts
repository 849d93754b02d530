import { expect, test, vi } from 'vitest';
import { createCooldownCounter } from '../../../../shared/limits/aws/dynamo-cooldown.ts';
import { createDynamoRateLimitReader } from '../../../../shared/limits/aws/dynamo-rate-limit-reader.ts';
import { createDynamoRateLimiter } from '../../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';
import type { RateLimiter, RateLimitPolicy } from '../../../../shared/platform/rate-limiter.ts';
import { consumeAll } from '../../../../shared/platform/rate-limiter.ts';
import { useDynamo } from '../../../support/dynamo.ts';

const { callsOf } = useDynamo();

const lines: string[] = [];
const log = createJsonLogger({}, (line) => lines.push(line));
const start = Date.parse('2026-03-01T10:00:00Z');
const at = (ms: number) => createDynamoRateLimiter({ clock: { now: () => ms }, createCooldownCounter });
const window = (key: string, overrides: Partial<RateLimitPolicy> = {}): RateLimitPolicy => ({
  name: 'read',
  partitionKey: key,
  limit: 5,
  windowSeconds: 60,
  onOutage: 'allow',
  ...overrides,
});
const many = async (limiter: RateLimiter, count: number, of: RateLimitPolicy, units = 1) =>
  (await Promise.all(Array.from({ length: count }, () => limiter.consume(of, log, units)))).filter(
    ({ allowed }) => allowed,
  );

test('in one window, the rate limiter allows exactly as many requests as the limit, even if all are concurrent', async () => {
  expect(await many(at(start), 20, window('at-once'))).toHaveLength(5);
});

test('the rate limiter consumes all units of a request or none, and does not count denied requests', async () => {
  const bytes = window('bytes', { limit: 100 });
  expect((await at(start).consume(bytes, log, 70)).remaining).toBe(30);
  expect((await at(start).consume(bytes, log, 31)).allowed).toBe(false);
  expect((await at(start).consume(bytes, log, 101)).allowed).toBe(false);
  expect((await at(start).consume(bytes, log, 30)).allowed).toBe(true);
  expect(await many(at(start), 40, window('many bytes', { limit: 100 }), 7)).toHaveLength(14);
});

test('after a refund, exactly the refunded units can be consumed again', async () => {
  const tokens = window('tokens', { limit: 100 });
  const taken = await at(start).consume(tokens, log, 100);
  await taken.refund(60);
  expect((await at(start).consume(tokens, log, 61)).allowed).toBe(false);
  expect((await at(start).consume(tokens, log, 60)).allowed).toBe(true);
});

test('readRemaining returns the remaining units of the current window without consuming units', async () => {
  const of = window('peeked');
  const reader = createDynamoRateLimitReader({ now: () => start });
  expect(await reader.readRemaining(of, log)).toEqual({ remaining: 5, resetSeconds: 60 });
  await many(at(start), 3, of);
  expect(
    await callsOf(async () => expect(await reader.readRemaining(of, log)).toMatchObject({ remaining: 2 })),
  ).toEqual(['GetItem']);
  expect(await reader.readRemaining({ ...of, limit: 2 }, log)).toMatchObject({ remaining: 0 });
  expect(await createDynamoRateLimitReader({ now: () => start + 60_000 }).readRemaining(of, log)).toMatchObject({
    remaining: 5,
  });
});

test('the next window starts without consumed units, and the result contains the seconds until the window ends', async () => {
  const of = window('windows');
  await many(at(start + 59_000), 5, of);
  expect(await at(start + 59_000).consume(of, log)).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 1 });
  expect(await at(start + 60_000).consume(of, log)).toMatchObject({ allowed: true, remaining: 4, resetSeconds: 60 });
});

test('a cooldown starts when a unit is consumed, and denies further units until the cooldown ends or the unit is refunded', async () => {
  const pause = window('pause', { limit: 1, windowSeconds: 30, algorithm: 'cooldown' });
  expect(await many(at(start + 25_000), 20, pause)).toHaveLength(1);
  expect(await at(start + 35_000).consume(pause, log)).toMatchObject({ allowed: false, resetSeconds: 20 });
  const later = await at(start + 55_000).consume(pause, log);
  expect(later.allowed).toBe(true);
  await later.refund();
  expect((await at(start + 55_001).consume(pause, log)).allowed).toBe(true);
});

test('partition keys have separate windows', async () => {
  await many(at(start), 6, window('busy'));
  expect((await at(start).consume(window('quiet'), log)).allowed).toBe(true);
});

test('if no policy is exceeded, consumeAll needs one write per policy; otherwise, it consumes no unit', async () => {
  const [wide, narrow] = [window('wide', { limit: 3 }), window('narrow', { limit: 1 })];
  const calls = await callsOf(() => consumeAll(at(start), [wide, narrow], log));
  expect(calls).toEqual(['UpdateItem', 'UpdateItem']);
  const { exceeded: refused } = await consumeAll(at(start), [wide, narrow], log);
  expect(refused?.policy).toBe(narrow);
  expect((await at(start).consume(wide, log)).remaining).toBe(1);
});

test('with onOutage “allow”, a request that cannot be counted is allowed, and LimitNotCounted is recorded', async () => {
  vi.stubEnv('LIMITS_TABLE', 'gone');
  expect((await at(start).consume(window('x'), log)).allowed).toBe(true);
  expect(lines.some((line) => line.includes('LimitNotCounted'))).toBe(true);
});

test('if a policy with onOutage “deny” cannot be counted, consumeAll throws and refunds the earlier policies', async () => {
  const [counted, uncountable] = [window('before', { limit: 1 }), window('after', { onOutage: 'deny' })];
  const limiter: RateLimiter = {
    consume: (of, ...rest) => {
      vi.stubEnv('LIMITS_TABLE', of === uncountable ? 'gone' : 'limits');
      return at(start).consume(of, ...rest);
    },
  };
  const attempt = consumeAll(limiter, [counted, uncountable], log).finally(() => vi.unstubAllEnvs());
  await expect(attempt).rejects.toMatchObject({ name: 'UnavailableError', retryAfterSeconds: 1 });
  process.env.LIMITS_TABLE = 'limits';
  expect((await at(start).consume(counted, log)).allowed).toBe(true);
});
