import { expect, test } from 'vitest';
import { retryUnprocessed } from '../../../../shared/platform/aws/retry-unprocessed.ts';

const SHORT = [0, 1, 1, 1];

test('what was left undone is sent again, and nothing else', async () => {
  const sent: number[][] = [];
  const isDone = await retryUnprocessed(
    [1, 2, 3, 4],
    async (left) => {
      sent.push(left);
      return [[2, 3, 4], [2, 3, 4], [4]][sent.length - 1];
    },
    SHORT,
  );
  expect([isDone, sent]).toEqual([true, [[1, 2, 3, 4], [2, 3, 4], [2, 3, 4], [4]]]);
});

test('what is left undone again and again ends after as many attempts as there are pauses, and one', async () => {
  let attempts = 0;
  const send = async (left: string[]) => {
    attempts++;
    return left;
  };
  expect([await retryUnprocessed(['a'], send, SHORT), attempts]).toEqual([false, 5]);
});

test('nothing is sent for nothing, and a call that fails is not repeated here', async () => {
  let attempts = 0;
  const send = async () => {
    attempts++;
    throw new Error('no connection');
  };
  expect(await retryUnprocessed([], send)).toBe(true);
  expect(attempts).toBe(0);
  await expect(retryUnprocessed(['a'], send)).rejects.toThrow('no connection');
  expect(attempts).toBe(1);
});
