import { runInNewContext } from 'node:vm';

/**
 * Runs synchronous work with a time limit. V8 interrupts the work anywhere except in native code. A timer could not
 * interrupt the work, because the work blocks the thread.
 *
 * @throws Error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` after `limitMs`
 */
export const runWithTimeLimit = <T>(work: () => T, limitMs: number): T =>
  runInNewContext('work()', { work }, { timeout: limitMs });
