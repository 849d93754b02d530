import { describe, expect, test } from 'vitest';
import { ORGANIZATION_TOKENS_PER_DAY } from '../../../../shared/ai/token-budget.ts';
import { HttpError } from '../../../../shared/http/errors.ts';
import type { RateLimiter, RateLimitPolicy } from '../../../../shared/platform/rate-limiter.ts';
import type { ModelAnswer } from '../../../support/text-model-server.ts';
import { bedrock } from '../../../support/text-models.ts';
import { aVerdict, useJudge } from '../../../support/training/judge.ts';

const { server, setUp, say } = useJudge();
const WITHOUT_CLAIMS = aVerdict({ dos: [], successCriteria: { sentences: [], met: false } });

describe("the organization's daily tokens", () => {
  test('are reserved before the request, and unused tokens are refunded', async () => {
    const seen: number[] = [];
    server().answer(() => {
      seen.push(taken());
      return { deltas: [JSON.stringify(WITHOUT_CLAIMS)], usage: { input: 900, output: 80 } };
    });
    const { judge, taken, counted } = setUp();
    await judge();
    expect(seen[0]).toBeGreaterThan(Buffer.byteLength(JSON.stringify(server().calls[0]?.body.messages)));
    expect([taken(), counted('AiTokens')]).toEqual([980, 980]);
  });

  test('share one limit with the tokens of visitors’ prompts', async () => {
    const policies: RateLimitPolicy[] = [];
    const limiter: RateLimiter = {
      consume: async (policy) => {
        policies.push(policy);
        return { allowed: true, remaining: 1, resetSeconds: 1, refund: async () => undefined };
      },
    };
    say(WITHOUT_CLAIMS);
    await setUp({ limiter, aiTokensPerDay: 50_000 }).judge();
    await setUp({ limiter }).judge();
    const policy = { name: 'ai-tokens-organization', windowSeconds: 86_400, onOutage: 'deny' };
    expect(policies).toMatchObject([
      { ...policy, limit: 50_000 },
      { ...policy, limit: ORGANIZATION_TOKENS_PER_DAY },
    ]);
  });

  test('allow no request when too few tokens are left; there is then no verdict', async () => {
    const { judge, taken, counted, lines } = setUp({ aiTokensPerDay: 5_000 });
    expect(await judge()).toBeUndefined();
    expect(server().calls).toEqual([]);
    expect(taken()).toBe(0);
    expect([counted('JudgeBudgetUsedUp'), counted('JudgeFailed')]).toEqual([1, 0]);
    expect(lines.join('\n')).toContain('daily token budget is used up');
  });

  test('are reserved for each attempt; when too few tokens are left, there is no second attempt', async () => {
    server().answer({ deltas: ['What?'], usage: { input: 7_000, output: 1 } });
    const { judge, counted } = setUp({ aiTokensPerDay: 12_000 });
    expect(await judge()).toBeUndefined();
    expect(server().calls).toHaveLength(1);
    expect(counted('JudgeBudgetUsedUp')).toBe(1);
  });

  test('are reserved for confirmation requests; when too few tokens are left, there is no verdict', async () => {
    server().answer({ deltas: [JSON.stringify(aVerdict())], usage: { input: 7_000, output: 1 } });
    const { judge, counted } = setUp({ aiTokensPerDay: 12_000 });
    expect(await judge()).toBeUndefined();
    expect(server().calls).toHaveLength(1);
    expect([counted('JudgeBudgetUsedUp'), counted('JudgeAnswered')]).toEqual([1, 0]);
  });

  test('allow no request when they cannot be counted', async () => {
    const consume = async () => Promise.reject(new HttpError(503, 'Limits cannot be counted.'));
    const { judge, counted } = setUp({ limiter: { consume } });
    expect(await judge()).toBeUndefined();
    expect(server().calls).toEqual([]);
    expect(counted('JudgeFailed')).toBe(1);
  });
});

test('the judge sends no request when the organization cannot be read', async () => {
  const { judge, counted, taken } = setUp({ find: async () => Promise.reject(new Error('The table is unavailable.')) });
  expect(await judge()).toBeUndefined();
  expect([counted('JudgeFailed'), taken(), server().calls.length]).toEqual([1, 0, 0]);
});

describe.each(['openai', 'bedrock'] as const)('with the provider %s, there is no verdict', (provider) => {
  const given = provider === 'bedrock' ? { model: bedrock('anthropic.model-v1:0') } : {};
  // The tests allow two requests, because the SDK of Bedrock retries some requests.
  const requestCount = () => server().calls.length;

  test.each([401, 403, 404, 500, 503])('when the provider responds with %i; no token is counted', async (status) => {
    server().answer({ status, said: '{"message":"No."}' });
    const { judge, counted, taken } = setUp(given);
    expect(await judge()).toBeUndefined();
    expect([counted('JudgeFailed'), taken()]).toEqual([1, 0]);
    expect(requestCount()).toBeLessThanOrEqual(2);
  });

  test.each(['end', 'cut', 'reset', 'error', 'garbage'] as const)(
    'when the response is not completed (%s)',
    async (happens) => {
      server().answer({ deltas: ['{"summary": "So'], at: { delta: 1, happens } });
      const { judge, counted, taken } = setUp(given);
      expect(await judge()).toBeUndefined();
      expect(counted('JudgeFailed')).toBe(1);
      expect(requestCount()).toBeLessThanOrEqual(2);
      expect(taken()).toBeGreaterThan(0);
    },
  );

  test.each<[string, ModelAnswer]>([
    ['never begins', { deltas: ['x'], at: { delta: 0, happens: 'silence' } }],
    ['stops', { deltas: ['{"summary": "'], at: { delta: 1, happens: 'silence' } }],
    [
      'consists of spaces that arrive one by one without end',
      { deltas: Array<string>(10_000).fill(' '), betweenMs: 5 },
    ],
  ])('when the response %s, and the judge stops at the time limit', async (_, response) => {
    server().answer(response);
    const { judge, counted } = setUp({ ...given, timeouts: { firstTextMs: 400, betweenPartsMs: 400, wholeMs: 500 } });
    expect(await judge()).toBeUndefined();
    expect(counted('JudgeFailed')).toBe(1);
    // On a busy machine, the time limit can pass before a request arrives. Then there is no request to check.
    for (const { over } of server().calls) expect(await over).toBe('left');
  });

  test('when the response is empty', async () => {
    server().answer({ deltas: [] });
    const { judge, counted } = setUp(given);
    expect(await judge()).toBeUndefined();
    expect(counted('JudgeFailed')).toBe(1);
  });

  test('when the response is too long, and the judge stops reading it', async () => {
    const delta = 'x'.repeat(10_000);
    server().answer({ deltas: Array<string>(1_000).fill(delta) });
    const { judge, counted } = setUp(given);
    expect(await judge()).toBeUndefined();
    expect(counted('JudgeUnreadable')).toBe(2);
    expect(await Promise.all(server().calls.map(({ over }) => over))).toEqual(['left', 'left']);
  });

  test('when one part of the response has 10 MB', async () => {
    server().answer({ deltas: [`{"summary": "${'ß'.repeat(5_000_000)}"}`] });
    const { judge, counted } = setUp(given);
    expect(await judge()).toBeUndefined();
    expect(counted('JudgeAnswered')).toBe(0);
  });
});

test('all attempts of the judge share one time limit; when it passes, the current attempt is aborted', async () => {
  let turn = 0;
  server().answer(() => ({ deltas: [turn++ === 0 ? 'What?' : JSON.stringify(aVerdict())], firstDelayMs: 1_200 }));
  const { judge, counted } = setUp({ timeouts: { wholeMs: 2_000 } });
  expect(await judge()).toBeUndefined();
  expect(server().calls).toHaveLength(2);
  expect([counted('JudgeUnreadable'), counted('JudgeFailed')]).toEqual([1, 1]);
  expect(await server().calls[1]?.over).toBe('left');
});
