import { setTimeout as pause } from 'node:timers/promises';

/** About three seconds in all. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1_600];

/**
 * Sends a batch until nothing of it is left undone. DynamoDB leaves out what it is throttled in, or has no room for, and
 * answers with success; the SDK repeats only calls that failed.
 *
 * @param send answers what was left undone
 * @param pausesMs at most, before each further attempt; not all callers of one moment come back at the same one
 * @returns whether all is done
 */
export async function retryUnprocessed<T>(
  batch: readonly T[],
  send: (left: T[]) => Promise<T[] | undefined>,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<boolean> {
  let left = [...batch];
  for (const pauseMs of [0, ...pausesMs]) {
    if (left.length === 0) break;
    if (pauseMs > 0) await pause(pauseMs * (0.5 + Math.random() / 2));
    left = (await send(left)) ?? [];
  }
  return left.length === 0;
}
