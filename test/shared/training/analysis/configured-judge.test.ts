import { expect, test, vi } from 'vitest';
import { configuredJudge } from '../../../../shared/training/analysis/configured-judge.ts';
import { memoryLimiter } from '../../../support/memory-limiter.ts';
import { anAnswer, JUDGED, useJudge } from '../../../support/training/judge.ts';

const { server, say } = useJudge();
const log = { info: () => undefined, warn: () => undefined, error: () => undefined, recordMetric: () => undefined };

const setUp = () => {
  const read: string[] = [];
  const judge = configuredJudge({
    secrets: {
      read: async (id) => {
        read.push(id);
        return 'sk-test';
      },
    },
    limiter: memoryLimiter().limiter,
    organizations: { find: async () => undefined },
  });
  const { turns, trainingCase } = JUDGED;
  return { read, judge: () => judge({ orgId: 'o', turns, trainingCase, log }) };
};

test('the first model of the deployment judges, with its key, at its endpoint', async () => {
  vi.stubEnv('AI_PROVIDER', 'openai');
  vi.stubEnv('AI_BASE_URL', server().baseUrl);
  vi.stubEnv('AI_MODELS', 'careful,quick');
  vi.stubEnv('AI_SECRET_ID', 'ai');
  say(anAnswer());
  const { judge, read } = setUp();
  expect(await judge()).toEqual(anAnswer());
  expect(new Set(read)).toEqual(new Set(['ai']));
  expect(server().calls[0]).toMatchObject({
    headers: { authorization: 'Bearer sk-test' },
    body: { model: 'careful', temperature: 0 },
  });
});

test('without a model there is no verdict, and no secret is read', async () => {
  vi.stubEnv('AI_PROVIDER', 'builtin');
  const { judge, read } = setUp();
  expect(await judge()).toBeUndefined();
  expect(read).toEqual([]);
});
