import { describe, expect, test } from 'vitest';
import { ORGANIZATION_TOKENS_PER_DAY } from '../../../../../shared/ai/token-budget.ts';
import { HttpError } from '../../../../../shared/http/errors.ts';
import type { RateLimiter, RateLimitPolicy } from '../../../../../shared/platform/rate-limiter.ts';
import type { ModelAnswer } from '../../../../support/text-model-server.ts';
import { bedrock } from '../../../../support/text-models.ts';
import { anAnswer, useJudge } from '../../../../support/training/judge.ts';

const { server, setUp, say } = useJudge();

describe("the organization's tokens of the day", () => {
  test('are reserved before the call, and what was not used is given back', async () => {
    const seen: number[] = [];
    server().answer(() => {
      seen.push(taken());
      return { deltas: [JSON.stringify(anAnswer())], usage: { input: 900, output: 80 } };
    });
    const { judge, taken, counted } = setUp();
    await judge();
    expect(seen[0]).toBeGreaterThan(Buffer.byteLength(JSON.stringify(server().calls[0]?.body.messages)));
    expect([taken(), counted('AiTokens')]).toEqual([980, 980]);
  });

  test('are those of visitors’ prompts: the same window, with the organization’s own limit', async () => {
    const windows: RateLimitPolicy[] = [];
    const limiter: RateLimiter = {
      consume: async (window) => {
        windows.push(window);
        return { allowed: true, remaining: 1, resetSeconds: 1, refund: async () => undefined };
      },
    };
    say(anAnswer());
    await setUp({ limiter, aiTokensPerDay: 50_000 }).judge();
    await setUp({ limiter }).judge();
    const window = { name: 'ai-tokens-organization', windowSeconds: 86_400, onOutage: 'deny' };
    expect(windows).toMatchObject([
      { ...window, limit: 50_000 },
      { ...window, limit: ORGANIZATION_TOKENS_PER_DAY },
    ]);
  });

  test('when they are used up nobody is asked, and the rules judge alone', async () => {
    const { judge, taken, counted, lines } = setUp({ aiTokensPerDay: 5_000 });
    expect(await judge()).toBeUndefined();
    expect(server().calls).toEqual([]);
    expect(taken()).toBe(0);
    expect([counted('JudgeBudgetUsedUp'), counted('JudgeFailed')]).toEqual([1, 0]);
    expect(lines.join('\n')).toContain('tokens for today');
  });

  test('are reserved for a second try too: without them there is none', async () => {
    server().answer({ deltas: ['What?'], usage: { input: 7_000, output: 1 } });
    const { judge, counted } = setUp({ aiTokensPerDay: 11_000 });
    expect(await judge()).toBeUndefined();
    expect(server().calls).toHaveLength(1);
    expect(counted('JudgeBudgetUsedUp')).toBe(1);
  });

  test('when they can not be counted nobody is asked', async () => {
    const take = async () => Promise.reject(new HttpError(503, 'Limits can not be counted.'));
    const { judge, counted } = setUp({ limiter: { consume: take } });
    expect(await judge()).toBeUndefined();
    expect(server().calls).toEqual([]);
    expect(counted('JudgeFailed')).toBe(1);
  });
});

test('an organization that can not be read: nobody is asked', async () => {
  const { judge, counted, taken } = setUp({ find: async () => Promise.reject(new Error('The table is away.')) });
  expect(await judge()).toBeUndefined();
  expect([counted('JudgeFailed'), taken(), server().calls.length]).toEqual([1, 0, 0]);
});

describe.each(['openai', 'bedrock'] as const)('%s: the rules judge alone', (provider) => {
  const world = provider === 'bedrock' ? { model: bedrock('anthropic.model-v1:0') } : {};
  // A model of Bedrock is asked a second time by the SDK where that may help.
  const asked = () => server().calls.length;

  test.each([401, 403, 404, 500, 503])('when it is refused with %i, which costs nothing', async (status) => {
    server().answer({ status, said: '{"message":"No."}' });
    const { judge, counted, taken } = setUp(world);
    expect(await judge()).toBeUndefined();
    expect([counted('JudgeFailed'), taken()]).toEqual([1, 0]);
    expect(asked()).toBeLessThanOrEqual(2);
  });

  test.each(['end', 'cut', 'reset', 'error', 'garbage'] as const)(
    'when its answer breaks off (%s)',
    async (happens) => {
      server().answer({ deltas: ['{"summary": "So'], at: { delta: 1, happens } });
      const { judge, counted, taken } = setUp(world);
      expect(await judge()).toBeUndefined();
      expect(counted('JudgeFailed')).toBe(1);
      expect(asked()).toBeLessThanOrEqual(2);
      expect(taken()).toBeGreaterThan(0);
    },
  );

  test.each<[string, ModelAnswer]>([
    ['never begins', { deltas: ['x'], at: { delta: 0, happens: 'silence' } }],
    ['falls silent', { deltas: ['{"summary": "'], at: { delta: 1, happens: 'silence' } }],
    ['dribbles without end', { deltas: Array<string>(10_000).fill(' '), betweenMs: 5 }],
  ])('when it %s, within the time that it has', async (_, answer) => {
    server().answer(answer);
    const { judge, counted } = setUp({ ...world, pace: { firstTextMs: 400, betweenPartsMs: 400, wholeMs: 500 } });
    expect(await judge()).toBeUndefined();
    expect(counted('JudgeFailed')).toBe(1);
    // None arrived where the machine was so busy that the time was over before.
    for (const { over } of server().calls) expect(await over).toBe('left');
  });

  test('when it says nothing at all', async () => {
    server().answer({ deltas: [] });
    const { judge, counted } = setUp(world);
    expect(await judge()).toBeUndefined();
    expect(counted('JudgeFailed')).toBe(1);
  });

  test('when it does not come to an end: nobody reads on', async () => {
    const delta = 'x'.repeat(10_000);
    server().answer({ deltas: Array<string>(1_000).fill(delta) });
    const { judge, counted } = setUp(world);
    expect(await judge()).toBeUndefined();
    expect(counted('JudgeUnreadable')).toBe(2);
    expect(await Promise.all(server().calls.map(({ over }) => over))).toEqual(['left', 'left']);
  });

  test('when one piece of its answer has 10 MB', async () => {
    server().answer({ deltas: [`{"summary": "${'ß'.repeat(5_000_000)}"}`] });
    const { judge, counted } = setUp(world);
    expect(await judge()).toBeUndefined();
    expect(counted('JudgeAnswered')).toBe(0);
  });
});

test('all tries together have the one time: a second one that would have its own is broken off', async () => {
  let turn = 0;
  server().answer(() => ({ deltas: [turn++ === 0 ? 'What?' : JSON.stringify(anAnswer())], firstDelayMs: 1_200 }));
  const { judge, counted } = setUp({ pace: { wholeMs: 2_000 } });
  expect(await judge()).toBeUndefined();
  expect(server().calls).toHaveLength(2);
  expect([counted('JudgeUnreadable'), counted('JudgeFailed')]).toEqual([1, 1]);
  expect(await server().calls[1]?.over).toBe('left');
});
