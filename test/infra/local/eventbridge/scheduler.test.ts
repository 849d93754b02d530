import { expect, test } from 'vitest';
import { startScheduler } from '../../../../infra/local/eventbridge/scheduler.ts';
import { constantWrites } from '../../../support/local/constant-writes.ts';

test('the function with the shortest interval runs first, even if it is the last in the list', async () => {
  const runs: string[] = [];
  const schedule = (name: string, interval: { everyMinutes: number; laptopSeconds?: number }) => ({
    ...interval,
    run: async () => void runs.push(name),
  });
  const scheduler = startScheduler(
    [
      schedule('daily', { everyMinutes: 1_440 }),
      schedule('every minute', { everyMinutes: 1 }),
      schedule('twice a second', { everyMinutes: 1, laptopSeconds: 0.5 }),
    ],
    constantWrites,
    () => undefined,
  );
  await expect.poll(() => runs.includes('every minute')).toBe(true);
  await scheduler.stop();
  expect(runs[0]).toBe('twice a second');
  expect(runs).not.toContain('daily');
});

test('after its interval, a function with laptopSeconds waits for a write; the wait ends after two more intervals', async () => {
  const waited: [number, number][] = [];
  let runs = 0;
  const scheduler = startScheduler(
    [{ everyMinutes: 1, laptopSeconds: 0.01, run: async () => void runs++ }],
    { count: () => runs, waitForNext: async (seen, ms) => void waited.push([seen, ms]) },
    () => undefined,
  );
  await expect.poll(() => waited.length).toBeGreaterThan(1);
  await scheduler.stop();
  // `seen` is the number of writes before the run, so that a write during the run starts the next run.
  expect(waited.slice(0, 2)).toEqual([
    [0, 20],
    [1, 20],
  ]);
});
