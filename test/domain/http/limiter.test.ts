import { expect, test, vi } from 'vitest';
import { dynamoLimitReader } from '../../../shared/limits/dynamo-limit-reader.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { pauseOf } from '../../../shared/limits/dynamo-pause.ts';
import type { Limiter, Window } from '../../../shared/limits/limiter.ts';
import { takeAll } from '../../../shared/limits/take-all.ts';
import { jsonLog } from '../../../shared/platform/log.ts';
import { useDynamo } from '../../support/dynamo.ts';

const { callsOf } = useDynamo();

const lines: string[] = [];
const log = jsonLog({}, (line) => lines.push(line));
const start = Date.parse('2026-03-01T10:00:00Z');
const at = (ms: number) => dynamoLimiter({ clock: { now: () => ms }, pauseOf });
const window = (key: string, said: Partial<Window> = {}): Window => ({
  scope: 'read',
  key,
  limit: 5,
  windowSeconds: 60,
  unreachable: 'pass',
  ...said,
});
const many = async (limiter: Limiter, count: number, of: Window, units = 1) =>
  (await Promise.all(Array.from({ length: count }, () => limiter.take(of, log, units)))).filter(
    ({ allowed }) => allowed,
  );

test('exactly as many calls as the limit pass, also when all come at once', async () => {
  expect(await many(at(start), 20, window('at-once'))).toHaveLength(5);
});

test('units are taken all or none, and what is refused is not counted', async () => {
  const bytes = window('bytes', { limit: 100 });
  expect((await at(start).take(bytes, log, 70)).remaining).toBe(30);
  expect((await at(start).take(bytes, log, 31)).allowed).toBe(false);
  expect((await at(start).take(bytes, log, 101)).allowed).toBe(false);
  expect((await at(start).take(bytes, log, 30)).allowed).toBe(true);
  expect(await many(at(start), 40, window('many bytes', { limit: 100 }), 7)).toHaveLength(14);
});

test('what is given back can be taken again, once', async () => {
  const tokens = window('tokens', { limit: 100 });
  const taken = await at(start).take(tokens, log, 100);
  await taken.giveBack(60);
  expect((await at(start).take(tokens, log, 61)).allowed).toBe(false);
  expect((await at(start).take(tokens, log, 60)).allowed).toBe(true);
});

test('what is left can be read without taking, until the window ends', async () => {
  const of = window('peeked');
  const reader = dynamoLimitReader({ now: () => start });
  expect(await reader.peek(of, log)).toEqual({ remaining: 5, resetSeconds: 60 });
  await many(at(start), 3, of);
  expect(await callsOf(async () => expect(await reader.peek(of, log)).toMatchObject({ remaining: 2 }))).toEqual([
    'GetItem',
  ]);
  expect(await reader.peek({ ...of, limit: 2 }, log)).toMatchObject({ remaining: 0 });
  expect(await dynamoLimitReader({ now: () => start + 60_000 }).peek(of, log)).toMatchObject({ remaining: 5 });
});

test('the next window starts at zero, and the seconds until then are told', async () => {
  const of = window('windows');
  await many(at(start + 59_000), 5, of);
  expect(await at(start + 59_000).take(of, log)).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 1 });
  expect(await at(start + 60_000).take(of, log)).toMatchObject({ allowed: true, remaining: 4, resetSeconds: 60 });
});

test('a pause begins with what is taken, lets exactly one through, and can be given back', async () => {
  const pause = window('pause', { limit: 1, windowSeconds: 30, from: 'take' });
  expect(await many(at(start + 25_000), 20, pause)).toHaveLength(1);
  expect(await at(start + 35_000).take(pause, log)).toMatchObject({ allowed: false, resetSeconds: 20 });
  const later = await at(start + 55_000).take(pause, log);
  expect(later.allowed).toBe(true);
  await later.giveBack();
  expect((await at(start + 55_001).take(pause, log)).allowed).toBe(true);
});

test('users do not share a window', async () => {
  await many(at(start), 6, window('busy'));
  expect((await at(start).take(window('quiet'), log)).allowed).toBe(true);
});

test('of several windows all are taken or none, in one write each', async () => {
  const [wide, narrow] = [window('wide', { limit: 3 }), window('narrow', { limit: 1 })];
  const calls = await callsOf(() => takeAll(at(start), [wide, narrow], log));
  expect(calls).toEqual(['UpdateItem', 'UpdateItem']);
  const { refused } = await takeAll(at(start), [wide, narrow], log);
  expect(refused?.window).toBe(narrow);
  expect((await at(start).take(wide, log)).remaining).toBe(1);
});

test('a table that can not be reached lets a call pass that is only a matter of fairness, and says so', async () => {
  vi.stubEnv('LIMITS_TABLE', 'gone');
  expect((await at(start).take(window('x'), log)).allowed).toBe(true);
  expect(lines.some((line) => line.includes('LimitNotCounted'))).toBe(true);
});

test('503: what guards money or people is refused when it can not be counted, and nothing stays taken', async () => {
  const [counted, uncountable] = [window('before', { limit: 1 }), window('after', { unreachable: 'refuse' })];
  const limiter: Limiter = {
    take: (of, ...rest) => {
      vi.stubEnv('LIMITS_TABLE', of === uncountable ? 'gone' : 'limits');
      return at(start).take(of, ...rest);
    },
  };
  const attempt = takeAll(limiter, [counted, uncountable], log).finally(() => vi.unstubAllEnvs());
  await expect(attempt).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  process.env.LIMITS_TABLE = 'limits';
  expect((await at(start).take(counted, log)).allowed).toBe(true);
});
