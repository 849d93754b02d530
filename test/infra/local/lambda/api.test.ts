import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { declareBackgroundFunction } from '../../../../functions/declare-background-function.ts';
import { type LambdaApi, startLambdaApi } from '../../../../infra/local/lambda/api.ts';
import { invokeAsync } from '../../../../shared/platform/aws/invoke-lambda.ts';

const declared = declareBackgroundFunction('background/do-work', {
  summary: 'Works',
  trigger: { invoked: 'asynchronously' },
  grants: [],
  limits: { timeoutSeconds: 10, memoryMb: 128 },
});
const NAME = 'tributary-background-do-work';

/** Waits for a condition. The timeout is so long that only a hanging test exceeds it. */
const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 45_000, interval: 2 });

type Run = { event: unknown; requestId: string };

let runs: Run[];
let reports: string[];
let work: (event: unknown) => Promise<unknown>;
let api: LambdaApi;

beforeEach(async () => {
  [runs, reports] = [[], []];
  work = async () => undefined;
  api = await startLambdaApi({
    functions: [declared],
    invoke: (_, event, requestId) => {
      runs.push({ event, requestId });
      return work(event);
    },
    reportError: (what) => reports.push(what),
    retryDelaysMs: [1, 2],
  });
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${api.port}`);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => api.stop());

test('202: an event is accepted before the function has finished', async () => {
  let end = () => undefined as unknown;
  work = () => new Promise((resolve) => (end = () => resolve(undefined)));
  await invokeAsync(NAME, { callId: 'c1' });
  await until(() => runs.length === 1);
  expect(runs[0]?.event).toEqual({ callId: 'c1' });
  end();
});

test('a failed invocation is retried twice with the same request id, and each failure is reported', async () => {
  work = () => Promise.reject(new Error('broken'));
  await invokeAsync(NAME, { callId: 'c1' });
  await until(() => reports.length === 3);
  await delay(20);
  expect(runs).toEqual([runs[0], runs[0], runs[0]]);
  expect(reports).toEqual([
    'background/do-work failed (attempt 1 of 3). Retrying',
    'background/do-work failed (attempt 2 of 3). Retrying',
    'background/do-work failed (attempt 3 of 3). Giving up',
  ]);
});

test('an invocation is not retried after a success', async () => {
  work = () => (runs.length === 1 ? Promise.reject(new Error('broken')) : Promise.resolve());
  await invokeAsync(NAME, {});
  await until(() => runs.length === 2);
  await delay(20);
  expect([runs.length, reports.length]).toEqual([2, 1]);
});

test('at most four invocations run concurrently', async () => {
  let [running, runningMax] = [0, 0];
  work = async () => {
    running += 1;
    runningMax = Math.max(runningMax, running);
    await delay(10);
    running -= 1;
  };
  await Promise.all(Array.from({ length: 12 }, (_, at) => invokeAsync(NAME, { at })));
  await until(() => runs.length === 12 && running === 0);
  expect(runningMax).toBeLessThanOrEqual(4);
  expect(new Set(runs.map(({ event }) => JSON.stringify(event))).size).toBe(12);
});

test('404: an invocation of an unknown function runs nothing', async () => {
  await expect(invokeAsync('tributary-background-do-less', {})).rejects.toThrow('404 (ResourceNotFoundException)');
  expect(runs).toEqual([]);
});

const post = (body: string, headers: Record<string, string> = { 'X-Amz-Invocation-Type': 'Event' }) =>
  fetch(`http://127.0.0.1:${api.port}/2015-03-31/functions/${NAME}/invocations`, { method: 'POST', headers, body });

test.each([
  [400, 'a body that is not JSON', 'no json', undefined],
  [400, 'a request for a synchronous invocation', '{}', {}],
  [413, 'a body over a megabyte', `"${'x'.repeat(1_048_576)}"`, undefined],
])('%i: %s invokes no function', async (status, _, body, headers) => {
  expect((await post(body, headers)).status).toBe(status);
  expect(runs).toEqual([]);
});

test('429: an invocation is rejected while a thousand invocations are unfinished', async () => {
  let end = () => undefined as unknown;
  const over = new Promise((resolve) => (end = () => resolve(undefined)));
  work = () => over;
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < 1_005; sent += 1) {
    const { status } = await post('{}');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses]).toEqual([
    [202, 1_000],
    [429, 5],
  ]);
  end();
});

test('stopping the API waits for running invocations and starts no queued invocations', async () => {
  let finished = 0;
  work = async () => {
    await delay(20);
    finished += 1;
  };
  await Promise.all(Array.from({ length: 9 }, () => invokeAsync(NAME, {})));
  const started = runs.length;
  await api.stop();
  await delay(50);
  expect([runs.length, finished]).toEqual([started, started]);
});
