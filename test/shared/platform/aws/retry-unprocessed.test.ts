import { expect, test } from 'vitest';
import { retryUnprocessed } from '../../../../shared/platform/aws/retry-unprocessed.ts';

const SHORT = [0, 1, 1, 1];

test('retryUnprocessed sends only unprocessed items again', async () => {
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

test('with four delays, retryUnprocessed gives up after five attempts', async () => {
  let attempts = 0;
  const send = async (left: string[]) => {
    attempts++;
    return left;
  };
  expect([await retryUnprocessed(['a'], send, SHORT), attempts]).toEqual([false, 5]);
});

test('retryUnprocessed sends nothing for an empty batch, and does not retry a request that throws', async () => {
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
