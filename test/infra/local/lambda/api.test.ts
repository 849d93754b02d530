import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LambdaApi, startLambdaApi } from '../../../../infra/local/lambda/api.ts';
import { invokeAsync } from '../../../../shared/platform/aws/invoke-lambda.ts';
import { backgroundFunction } from '../../../../shared/platform/background.ts';

const declared = backgroundFunction('background/do-work', {
  summary: 'Works',
  trigger: { invoked: 'asynchronously' },
  grants: [],
  limits: { timeoutSeconds: 10, memoryMb: 128 },
});
const NAME = 'tributary-background-do-work';

/** Many times what it takes: a time-out tells of something that hangs. */
const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 45_000, interval: 2 });

type Run = { event: unknown; requestId: string };

let runs: Run[];
let told: string[];
let work: (event: unknown) => Promise<unknown>;
let api: LambdaApi;

beforeEach(async () => {
  [runs, told] = [[], []];
  work = async () => undefined;
  api = await startLambdaApi({
    functions: [declared],
    invoke: (_, event, requestId) => {
      runs.push({ event, requestId });
      return work(event);
    },
    report: (what) => told.push(what),
    pausesMs: [1, 2],
  });
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${api.port}`);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => api.stop());

test('202: the event is taken before its run has ended', async () => {
  let end = () => undefined as unknown;
  work = () => new Promise((resolve) => (end = () => resolve(undefined)));
  await invokeAsync(NAME, { callId: 'c1' });
  await until(() => runs.length === 1);
  expect(runs[0]?.event).toEqual({ callId: 'c1' });
  end();
});

test('a run that fails is tried twice more as the same invocation, which is told each time', async () => {
  work = () => Promise.reject(new Error('broken'));
  await invokeAsync(NAME, { callId: 'c1' });
  await until(() => told.length === 3);
  await delay(20);
  expect(runs).toEqual([runs[0], runs[0], runs[0]]);
  expect(told).toEqual([
    'background/do-work failed (attempt 1 of 3) and is tried again',
    'background/do-work failed (attempt 2 of 3) and is tried again',
    'background/do-work failed (attempt 3 of 3) and is given up',
  ]);
});

test('what a retry mends is not given up', async () => {
  work = () => (runs.length === 1 ? Promise.reject(new Error('broken')) : Promise.resolve());
  await invokeAsync(NAME, {});
  await until(() => runs.length === 2);
  await delay(20);
  expect([runs.length, told.length]).toEqual([2, 1]);
});

test('a handful run at once, the others after them', async () => {
  let [now, most] = [0, 0];
  work = async () => {
    now += 1;
    most = Math.max(most, now);
    await delay(10);
    now -= 1;
  };
  await Promise.all(Array.from({ length: 12 }, (_, at) => invokeAsync(NAME, { at })));
  await until(() => runs.length === 12 && now === 0);
  expect(most).toBeLessThanOrEqual(4);
  expect(new Set(runs.map(({ event }) => JSON.stringify(event))).size).toBe(12);
});

test('404: a name that no function has', async () => {
  await expect(invokeAsync('tributary-background-do-less', {})).rejects.toThrow('404 (ResourceNotFoundException)');
  expect(runs).toEqual([]);
});

const post = (body: string, headers: Record<string, string> = { 'X-Amz-Invocation-Type': 'Event' }) =>
  fetch(`http://127.0.0.1:${api.port}/2015-03-31/functions/${NAME}/invocations`, { method: 'POST', headers, body });

test.each([
  [400, 'no JSON', 'no json', undefined],
  [400, 'somebody who waits for the outcome', '{}', {}],
  [413, 'more than a megabyte', `"${'x'.repeat(1_048_576)}"`, undefined],
])('%i: %s, and nothing runs', async (status, _, body, headers) => {
  expect((await post(body, headers)).status).toBe(status);
  expect(runs).toEqual([]);
});

test('429: no more than a thousand wait', async () => {
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

test('its end waits for the runs under way and starts none', async () => {
  let ended = 0;
  work = async () => {
    await delay(20);
    ended += 1;
  };
  await Promise.all(Array.from({ length: 9 }, () => invokeAsync(NAME, {})));
  const begun = runs.length;
  await api.stop();
  await delay(50);
  expect([runs.length, ended]).toEqual([begun, begun]);
});
