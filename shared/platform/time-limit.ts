import { runInNewContext } from 'node:vm';

/**
 * Runs synchronous work for at most so long. V8 interrupts it wherever it is, which no timer of the blocked thread could;
 * only a call into native code is finished first.
 *
 * @throws Error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` when the time is over
 */
export const runWithTimeLimit = <T>(work: () => T, limitMs: number): T =>
  runInNewContext('work()', { work }, { timeout: limitMs });
