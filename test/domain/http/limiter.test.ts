import { expect, test, vi } from 'vitest';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { jsonLog } from '../../../shared/platform/log.ts';
import { useDynamo } from '../../support/dynamo.ts';

useDynamo();

const lines: string[] = [];
const log = jsonLog({}, (line) => lines.push(line));
const start = Date.parse('2026-03-01T10:00:00Z');
const window = (key: string) => ({ scope: 'user#read', key, limit: 5, windowSeconds: 60 });

test('exactly as many calls as the limit pass, also when all come at once', async () => {
  const limiter = dynamoLimiter({ now: () => start });
  const answers = await Promise.all(Array.from({ length: 20 }, () => limiter.count(window('at-once'), log)));
  expect(answers.filter(({ allowed }) => allowed)).toHaveLength(5);
});

test('the next window starts at zero, and the seconds until then are told', async () => {
  let now = start + 59_000;
  const limiter = dynamoLimiter({ now: () => now });
  for (let call = 0; call < 5; call++) await limiter.count(window('windows'), log);
  expect(await limiter.count(window('windows'), log)).toEqual({ allowed: false, resetSeconds: 1 });
  now += 1_000;
  expect(await limiter.count(window('windows'), log)).toEqual({ allowed: true, resetSeconds: 60 });
});

test('users do not share a window', async () => {
  const limiter = dynamoLimiter({ now: () => start });
  for (let call = 0; call < 6; call++) await limiter.count(window('busy'), log);
  expect((await limiter.count(window('quiet'), log)).allowed).toBe(true);
});

test('a table that can not be reached lets the call pass, and says so', async () => {
  vi.stubEnv('LIMITS_TABLE', 'gone');
  const answer = await dynamoLimiter({ now: () => start }).count(window('x'), log);
  expect(answer.allowed).toBe(true);
  expect(lines.some((line) => line.includes('LimitNotCounted'))).toBe(true);
});
