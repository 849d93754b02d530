import { expect, test } from 'vitest';
import { startScheduler } from '../../../../infra/local/eventbridge/scheduler.ts';

test('functions with shorter intervals have their first run earlier, independent of their order in the list', async () => {
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
    () => undefined,
  );
  await expect.poll(() => runs.includes('every minute')).toBe(true);
  await scheduler.stop();
  expect(runs[0]).toBe('twice a second');
  expect(runs).not.toContain('daily');
});
