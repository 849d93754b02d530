import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createQueue } from '../../../shared/platform/queue.ts';

test('work runs one at a time, in the order of the calls; failed work does not prevent the work after it', async () => {
  const queue = createQueue();
  const log: string[] = [];
  const work = (name: string, ms: number) => async () => {
    log.push(`${name} starts`);
    await delay(ms);
    log.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
    return name;
  };
  const [a, b] = await Promise.allSettled([queue(work('a', 5)), queue(work('b', 0))]);
  expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends']);
  expect(a).toMatchObject({ status: 'rejected', reason: new Error('a failed') });
  expect(b).toEqual({ status: 'fulfilled', value: 'b' });
});
