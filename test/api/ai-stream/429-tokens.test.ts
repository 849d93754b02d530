import { expect, test } from 'vitest';
import { ModelFailure, type ModelPart } from '../../../shared/ai/text-model.ts';
import { FUNNEL_TOKENS_PER_DAY, ORGANIZATION_TOKENS_PER_DAY } from '../../../shared/ai/token-budget.ts';
import { dynamoLimiter } from '../../../shared/limits/dynamo-limiter.ts';
import { aModel, says, setUpAiStream } from '../../support/ai-stream.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { NOON } from '../../support/leads.ts';

const { callsOf } = useDynamo();

const used = (inputTokens: number, outputTokens: number): ModelPart => ({ usage: { inputTokens, outputTokens } });
/** What a call reserves: the rules for the model alone are some 600 bytes. */
const OUTPUT_TOKENS = 100;

test('what was reserved and not used is given back, to the funnel and to the organization', async () => {
  const { model } = aModel([{ text: 'Yes.' }, { finish: 'stop' }, used(210, 3)]);
  const { post, used: taken } = setUpAiStream({ model });
  await post('Why?');
  await post('Why?');
  expect(taken()).toEqual([426, 426]);
});

test('the reservation holds input and output while the model writes', async () => {
  const seen: number[][] = [];
  const { model } = aModel(async function* ({ system, prompt, outputTokensMax }) {
    seen.push(taken(), [Buffer.byteLength(system + prompt) + outputTokensMax]);
    yield* says('Yes.');
  });
  const { post, used: taken } = setUpAiStream({ model, block: { outputTokensMax: OUTPUT_TOKENS } });
  await post('\u{1f600}'.repeat(100));
  const [[funnel = 0, organization] = [], [atLeast = 0] = []] = seen;
  expect(funnel).toBe(organization);
  expect(funnel).toBeGreaterThanOrEqual(atLeast);
  expect(atLeast).toBeGreaterThan(400 + OUTPUT_TOKENS);
});

test.each([
  ['says nothing of its costs', [{ text: 'Yes, so.' }, { finish: 'stop' }], 8],
  ['thinks without saying what it costs', [{ hiddenBytes: 30 }, { text: 'Yes, so.' }, { finish: 'stop' }], 38],
] as const)('a model that %s is charged what it can have cost at most', async (_, parts, output) => {
  const { model, asked } = aModel([...parts]);
  const { post, used: taken } = setUpAiStream({ model, block: { outputTokensMax: OUTPUT_TOKENS } });
  await post('Why?');
  const input = Buffer.byteLength(`${asked[0]?.system}Why?`) + 32;
  expect(taken()).toEqual([input + output, input + output]);
});

test('a failure after the first token is charged up to there; one that was never billed costs nothing', async () => {
  const broken = aModel(async function* () {
    yield { text: 'Yes' };
    throw new ModelFailure('It broke.', { billable: true });
  });
  const world = setUpAiStream({ model: broken.model });
  expect((await world.post('Why?')).broken).toBeInstanceOf(ModelFailure);
  expect(world.used()[0]).toBe(Buffer.byteLength(`${broken.asked[0]?.system}Why?`) + 32 + 3);

  const refused = aModel(async function* () {
    yield { text: '' };
    throw new ModelFailure('It refused.', { billable: false });
  });
  const other = setUpAiStream({ model: refused.model });
  await other.post('Why?');
  expect(other.used()).toEqual([0, 0]);
});

test('429: a funnel whose tokens are used up, until midnight UTC; no model is asked', async () => {
  const { model, asked } = aModel(says('Yes.'));
  const { post, used: taken } = setUpAiStream({ model, block: { dailyTokens: 700 } });
  const answer = await post('Why?'.repeat(200));
  expect(answer).toMatchObject({
    status: 429,
    body: { error: { code: 'rate_limited', message: expect.stringMatching(/tokens for today/) } },
    headers: {
      'retry-after': '42',
      'ratelimit-limit': '700',
      'ratelimit-remaining': '0',
      ratelimit: '"ai-tokens-funnel";r=0;t=42',
      'ratelimit-policy': '"ai-tokens-funnel";q=700;w=86400',
    },
  });
  expect(asked).toEqual([]);
  expect(taken()).toEqual([0, 0]);
});

test('429: an organization whose tokens are used up; the funnel has its own back', async () => {
  const { post, asked, used: taken } = setUpAiStream({ organization: { limits: { aiTokensPerDay: 0 } } });
  const answer = await post('Why?');
  expect(answer).toMatchObject({ status: 429, headers: { ratelimit: '"ai-tokens-organization";r=0;t=42' } });
  expect(asked).toEqual([]);
  expect(taken()).toEqual([0, 0]);
});

test.each([
  ["the block's own", { block: { dailyTokens: 1_500 }, funnel: { limits: { aiTokensPerDay: 9_000 } } }, 1_500],
  ["the funnel's", { funnel: { limits: { aiTokensPerDay: 1_600 } } }, 1_600],
  ["the service's", {}, FUNNEL_TOKENS_PER_DAY],
])('of several limits %s holds', async (_, world, limit) => {
  const limits: number[] = [];
  const limiter = {
    take: async (window: { scope: string; limit: number }) => {
      limits.push(window.limit);
      return { allowed: true, remaining: 1, resetSeconds: 1, giveBack: async () => undefined };
    },
  };
  await setUpAiStream({ ...world, limiter }).post('Why?');
  expect(limits).toEqual([limit, ORGANIZATION_TOKENS_PER_DAY]);
});

test('50 calls at once never have more tokens out than the budget holds, and what is left can be used', async () => {
  let [writing, refused] = [0, 0];
  const { model } = aModel(async function* () {
    writing++;
    while (refused < 46) await new Promise((resolve) => setTimeout(resolve, 1));
    yield* says('Yes.');
  });
  const reserved = 4 + 32 + OUTPUT_TOKENS + (await systemBytes());
  const block = { outputTokensMax: OUTPUT_TOKENS, dailyTokens: 4 * reserved + 50 };
  const { call, funnel } = setUpAiStream({ model, limiter: dynamoLimiter({ clock: { now: () => NOON } }), block });
  const ask = async (ip: string) => {
    const { status } = await call({ path: { id: funnel.id }, body: { prompt: 'Why?' }, ip });
    refused += Number(status === 429);
    return status;
  };
  const statuses = await Promise.all(Array.from({ length: 50 }, (_, turn) => ask(`192.0.2.${turn}`)));
  expect([statuses.filter((status) => status === 200).length, writing, refused]).toEqual([4, 4, 46]);
  expect(await ask('198.51.100.1')).toBe(200);
});

test('a call writes four times for its tokens: two to take them, two to give back', async () => {
  const { post } = setUpAiStream({ limiter: dynamoLimiter({ clock: { now: () => NOON } }) });
  expect(await callsOf(() => post('Why?'))).toEqual(['UpdateItem', 'UpdateItem', 'UpdateItem', 'UpdateItem']);
});

async function systemBytes(): Promise<number> {
  const { model, asked } = aModel(says('x'));
  await setUpAiStream({ model }).post('x');
  return Buffer.byteLength(asked[0]?.system ?? '');
}
