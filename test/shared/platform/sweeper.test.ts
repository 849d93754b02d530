import { expect, test } from 'vitest';
import { sweep } from '../../../shared/platform/sweeper.ts';

const RUN_MS = 1_000;

/** A sweep whose due items are those in `waiting`. Processing an item takes `eachMs`. */
function aSweep(waiting: number[], eachMs: number, outcome: (item: number) => 'done' | 'failed' = () => 'done') {
  const counted: Record<string, number> = {};
  let nowMs = 0;
  const seen: number[] = [];
  const run = () =>
    sweep(
      {
        findDue: async (_nowMs, most) => waiting.slice(0, most),
        processItem: async (item: number) => {
          nowMs += eachMs;
          seen.push(item);
          const swept = outcome(item);
          if (swept === 'done') waiting.splice(waiting.indexOf(item), 1);
          return swept;
        },
        isProgress: (swept) => swept === 'done',
        timeLimitMs: RUN_MS,
      },
      {
        clock: { now: () => nowMs },
        log: {
          info: () => undefined,
          warn: () => undefined,
          error: () => undefined,
          recordMetric: (metric, value = 1) => void Object.assign(counted, { [metric]: value }),
        },
      },
    );
  return { run, seen, counted };
}

const items = (count: number) => Array.from({ length: count }, (_, at) => at);

test('a sweep processes all 500 due items and records no backlog', async () => {
  const { run, seen, counted } = aSweep(items(500), 0);
  expect(await run()).toEqual(new Map([['done', 500]]));
  expect(new Set(seen).size).toBe(500);
  expect(counted).toEqual({});
});

test('if the time of a sweep ends, the remaining items are recorded as backlog and not processed', async () => {
  const waiting = items(160);
  const { run, seen, counted } = aSweep(waiting, 100);
  await run();
  expect(seen).toHaveLength(10);
  expect(waiting).toHaveLength(150);
  expect(counted).toEqual({ SweepBacklog: 150 });
});

test('failing items do not delay other items, and a sweep ends when only failing items remain', async () => {
  const { run, seen, counted } = aSweep(items(8), 0, (item) => (item < 3 ? 'failed' : 'done'));
  expect(await run()).toEqual(
    new Map([
      ['failed', 6],
      ['done', 5],
    ] as const),
  );
  expect(seen.filter((item) => item >= 3)).toHaveLength(5);
  expect(counted).toEqual({});
});
