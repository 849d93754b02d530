import { setTimeout as sleep } from 'node:timers/promises';

/** Maximum delay before each retry, in total about three seconds. */
const DELAYS_MS = [50, 100, 200, 400, 800, 1_600];

/**
 * Sends a batch, and resends unprocessed items until all items are processed or the retries are used up. DynamoDB
 * reports throttled items as unprocessed in a successful response, which the SDK does not retry.
 *
 * @param send returns the unprocessed items
 * @param delaysMs maximum delay before each retry; jitter shortens each delay by up to half
 * @returns whether all items were processed
 */
export async function retryUnprocessed<T>(
  batch: readonly T[],
  send: (items: T[]) => Promise<T[] | undefined>,
  delaysMs: readonly number[] = DELAYS_MS,
): Promise<boolean> {
  let unprocessed = [...batch];
  for (const delayMs of [0, ...delaysMs]) {
    if (unprocessed.length === 0) break;
    if (delayMs > 0) await sleep(delayMs * (0.5 + Math.random() / 2));
    unprocessed = (await send(unprocessed)) ?? [];
  }
  return unprocessed.length === 0;
}
