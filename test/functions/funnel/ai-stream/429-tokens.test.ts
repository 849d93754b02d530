import { expect, test } from 'vitest';
import { ModelError, type ModelPart } from '../../../../shared/ai/language-model.ts';
import { FUNNEL_TOKENS_PER_DAY, ORGANIZATION_TOKENS_PER_DAY } from '../../../../shared/ai/token-budget.ts';
import { createDynamoRateLimiter } from '../../../../shared/limits/aws/dynamo-rate-limiter.ts';
import { aModel, says, setUpAiStream } from '../../../support/ai-stream.ts';
import { useDynamo } from '../../../support/dynamo.ts';
import { DAY_MS, NOON } from '../../../support/leads/lead-repository.ts';
import { memoryLimiter } from '../../../support/memory-limiter.ts';

const { callsOf } = useDynamo();

const used = (inputTokens: number, outputTokens: number): ModelPart => ({ usage: { inputTokens, outputTokens } });
/** The maximum output of a call in tokens. The input costs more: the rules in the system prompt cost about 480. */
const OUTPUT_TOKENS = 100;

test('unused reserved tokens are refunded to the funnel, the organization and the client address', async () => {
  const { model } = aModel([{ text: 'Yes.' }, { finish: 'stop' }, used(210, 3)]);
  const { post, used: taken, takenByAddresses } = setUpAiStream({ model });
  await post('Why?');
  await post('Why?');
  expect([...taken(), takenByAddresses()]).toEqual([426, 426, 426]);
});

test('while the model writes, tokens for its input and its maximum output are reserved', async () => {
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
  ['reports no usage', [{ text: 'Yes, so.' }, { finish: 'stop' }], 8],
  ['reasons without reporting usage', [{ reasoningBytes: 30 }, { text: 'Yes, so.' }, { finish: 'stop' }], 38],
] as const)(
  'a call of a model that %s is charged 32 tokens, plus one token per byte of input and output',
  async (_, parts, output) => {
    const { model, requests } = aModel([...parts]);
    const { post, used: taken } = setUpAiStream({ model, block: { outputTokensMax: OUTPUT_TOKENS } });
    await post('Why?');
    const input = Buffer.byteLength(`${requests[0]?.system}Why?`) + 32;
    expect(taken()).toEqual([input + output, input + output]);
  },
);

test('a failed model request uses up budget only if the provider bills the request', async () => {
  const broken = aModel(async function* () {
    yield { text: 'Yes' };
    throw new ModelError('It broke.', { billable: true });
  });
  const world = setUpAiStream({ model: broken.model });
  expect((await world.post('Why?')).broken).toBeInstanceOf(ModelError);
  expect(world.used()[0]).toBe(Buffer.byteLength(`${broken.requests[0]?.system}Why?`) + 32 + 3);

  const refused = aModel(async function* () {
    yield { text: '' };
    throw new ModelError('It refused.', { billable: false });
  });
  const other = setUpAiStream({ model: refused.model });
  await other.post('Why?');
  expect(other.used()).toEqual([0, 0]);
});

test('429: one client address can use at most a tenth of a funnel’s tokens, and other addresses can still use tokens', async () => {
  const reserved = (await systemBytes()) + 4 + 32 + OUTPUT_TOKENS;
  const { model } = aModel([{ text: 'x'.repeat(OUTPUT_TOKENS) }, { finish: 'stop' }]);
  const block = { outputTokensMax: OUTPUT_TOKENS, dailyTokens: 20 * reserved + 9 };
  const { call, funnel, used: taken, takenByAddresses, clock } = setUpAiStream({ model, block });
  const ask = (ip: string) => call({ path: { id: funnel.id }, body: { prompt: 'Why?' }, ip });
  for (const status of [200, 200, 429, 429]) expect((await ask('192.0.2.1')).status).toBe(status);
  expect(await ask('192.0.2.1')).toMatchObject({
    body: { error: { code: 'rate_limited', message: expect.stringMatching(/client address\. .* midnight UTC/) } },
    headers: { 'ratelimit-policy': `"ai-tokens-address";q=${2 * reserved};w=86400` },
  });
  expect([...taken(), takenByAddresses()]).toEqual([2 * reserved, 2 * reserved, 2 * reserved]);
  for (const ip of ['192.0.2.2', '2001:db8:1:1::1', '2001:db8:1:2::1']) expect((await ask(ip)).status).toBe(200);
  expect((await ask('2001:db8:1:1::2')).status).toBe(200);
  expect((await ask('2001:db8:1:1::3')).status).toBe(429);
  clock.ms += DAY_MS;
  expect((await ask('192.0.2.1')).status).toBe(200);
});

test("a client address that has used its tenth of a funnel's tokens can still use tokens of another funnel", async () => {
  const { limiter } = memoryLimiter();
  const { model } = aModel([{ text: 'x'.repeat(OUTPUT_TOKENS) }, { finish: 'stop' }]);
  const block = { outputTokensMax: OUTPUT_TOKENS, dailyTokens: 10 * ((await systemBytes()) + 4 + 32 + OUTPUT_TOKENS) };
  for (let count = 0; count < 2; count++) {
    const { post } = setUpAiStream({ limiter, model, block });
    expect((await post('Why?')).status).toBe(200);
    expect((await post('Why?')).status).toBe(429);
  }
});

test('429: if the funnel has too few tokens left today, no model is called and no tokens are used', async () => {
  const { model, requests } = aModel(says('Yes.'));
  const { post, used: taken, takenByAddresses, useTokens } = setUpAiStream({ model, block: { dailyTokens: 50_000 } });
  await useTokens(49_300);
  const response = await post('Why?'.repeat(200));
  expect(response).toMatchObject({
    status: 429,
    body: { error: { code: 'rate_limited', message: expect.stringMatching(/today for the funnel/) } },
    headers: {
      'retry-after': '42',
      'ratelimit-limit': '50000',
      'ratelimit-remaining': '0',
      ratelimit: '"ai-tokens-funnel";r=0;t=42',
      'ratelimit-policy': '"ai-tokens-funnel";q=50000;w=86400',
    },
  });
  expect(requests).toEqual([]);
  expect(taken()).toEqual([49_300, 0]);
  expect(takenByAddresses()).toBe(0);
});

test('429: if the organization’s tokens are used up, the tokens of the funnel and the client address are refunded', async () => {
  const {
    post,
    requests,
    used: taken,
    takenByAddresses,
  } = setUpAiStream({ organization: { limits: { aiTokensPerDay: 0 } } });
  const response = await post('Why?');
  expect(response).toMatchObject({ status: 429, headers: { ratelimit: '"ai-tokens-organization";r=0;t=42' } });
  expect(requests).toEqual([]);
  expect(taken()).toEqual([0, 0]);
  expect(takenByAddresses()).toBe(0);
});

test.each([
  [
    'the limit of the AI block, if the block has a limit',
    { block: { dailyTokens: 1_500 }, funnel: { limits: { aiTokensPerDay: 9_000 } } },
    1_500,
  ],
  ['the limit of the funnel, if only the funnel has a limit', { funnel: { limits: { aiTokensPerDay: 1_600 } } }, 1_600],
  ['the default limit, if neither the funnel nor the AI block has a limit', {}, FUNNEL_TOKENS_PER_DAY],
])('the tokens of a funnel per day are limited by %s', async (_, world, limit) => {
  const limits: number[] = [];
  const limiter = {
    consume: async (window: { limit: number }) => {
      limits.push(window.limit);
      return { allowed: true, remaining: 1, resetSeconds: 1, refund: async () => undefined };
    },
  };
  await setUpAiStream({ ...world, limiter }).post('Why?');
  expect(limits).toEqual([limit / 10, limit, ORGANIZATION_TOKENS_PER_DAY]);
});

test('50 concurrent requests never reserve more tokens than the budget, and refunded tokens can be used again', async () => {
  let [writing, refused] = [0, 0];
  const { model } = aModel(async function* () {
    writing++;
    while (refused < 39) await new Promise((resolve) => setTimeout(resolve, 1));
    yield* says('Yes.');
  });
  const reserved = 4 + 32 + OUTPUT_TOKENS + (await systemBytes());
  const block = { outputTokensMax: OUTPUT_TOKENS, dailyTokens: 11 * reserved + 50 };
  const { call, funnel } = setUpAiStream({
    model,
    limiter: createDynamoRateLimiter({ clock: { now: () => NOON } }),
    block,
  });
  const ask = async (ip: string) => {
    const { status } = await call({ path: { id: funnel.id }, body: { prompt: 'Why?' }, ip });
    refused += Number(status === 429);
    return status;
  };
  const statuses = await Promise.all(Array.from({ length: 50 }, (_, index) => ask(`192.0.2.${index}`)));
  expect([statuses.filter((status) => status === 200).length, writing, refused]).toEqual([11, 11, 39]);
  expect(await ask('198.51.100.1')).toBe(200);
});

test("ten concurrent requests from one client address never reserve more than a tenth of the funnel's tokens", async () => {
  const reserved = 4 + 32 + OUTPUT_TOKENS + (await systemBytes());
  const block = { outputTokensMax: OUTPUT_TOKENS, dailyTokens: 31 * reserved };
  const { model } = aModel([{ text: 'x'.repeat(OUTPUT_TOKENS) }, { finish: 'stop' }]);
  const { post } = setUpAiStream({ model, block, limiter: createDynamoRateLimiter({ clock: { now: () => NOON } }) });
  const responses = await Promise.all(Array.from({ length: 10 }, () => post('Why?')));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
});

test('a request makes six writes for its tokens, three to reserve them and three to refund them', async () => {
  const { post } = setUpAiStream({ limiter: createDynamoRateLimiter({ clock: { now: () => NOON } }) });
  expect(await callsOf(() => post('Why?'))).toEqual(Array(6).fill('UpdateItem'));
});

async function systemBytes(): Promise<number> {
  const { model, requests } = aModel(says('x'));
  await setUpAiStream({ model }).post('x');
  return Buffer.byteLength(requests[0]?.system ?? '');
}
