import { expect, test } from 'vitest';
import { startScheduler } from '../../../../infra/local/eventbridge/scheduler.ts';
import { constantWrites } from '../../../support/local/constant-writes.ts';

test('at the start, the function with the shortest interval runs first, even if it is the last in the list', async () => {
  const runs: string[] = [];
  const schedule = (name: string, interval: { everyMinutes: number; laptopSeconds?: number }) => ({
    ...interval,
    id: name,
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

test('after its interval, a function with laptopSeconds waits for a write, but for at most two more intervals', async () => {
  const waited: [number, number][] = [];
  let runs = 0;
  const scheduler = startScheduler(
    [{ id: 'a', everyMinutes: 1, laptopSeconds: 0.01, run: async () => void runs++ }],
    { count: () => runs, waitForNext: async (seen, ms) => void waited.push([seen, ms]) },
    () => undefined,
  );
  await expect.poll(() => waited.length).toBeGreaterThan(1);
  await scheduler.stop();
  // `seen` is counted before the run. If a write happens during the run, the next run waits for no other write.
  expect(waited.slice(0, 2)).toEqual([
    [0, 20],
    [1, 20],
  ]);
});

test('a failed run is reported with the id of its function, and the function runs again', async () => {
  const reports: string[] = [];
  const run = () => Promise.reject(new Error('The table is missing.'));
  const scheduler = startScheduler(
    [{ id: 'background/sweep-calls', everyMinutes: 1, laptopSeconds: 0.01, run }],
    constantWrites,
    (what, error) => void reports.push(`${what}: ${error}`),
  );
  await expect.poll(() => reports.length).toBeGreaterThan(1);
  await scheduler.stop();
  expect(reports[0]).toBe(
    'A run of the scheduled function background/sweep-calls failed: Error: The table is missing.',
  );
});
