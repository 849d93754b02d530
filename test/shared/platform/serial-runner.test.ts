import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSerialRunner } from '../../../shared/platform/serial-runner.ts';

test('work runs one at a time, in the order of the calls; failed work does not prevent the work after it', async () => {
  const runInOrder = createSerialRunner();
  const log: string[] = [];
  const work = (name: string, ms: number) => async () => {
    log.push(`${name} starts`);
    await delay(ms);
    log.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
    return name;
  };
  const [a, b] = await Promise.allSettled([runInOrder(work('a', 5)), runInOrder(work('b', 0))]);
  expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends']);
  expect(a).toMatchObject({ status: 'rejected', reason: new Error('a failed') });
  expect(b).toEqual({ status: 'fulfilled', value: 'b' });
});
