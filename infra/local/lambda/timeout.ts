/**
 * The timeout of all functions while a debugger may stop them. The timeout is finite, because Node's timers can't be
 * longer than 24 days.
 */
export const DEBUG_TIMEOUT_SECONDS = 86_400;

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Returns the result of the work. After a timeout, the work continues, because this process cannot cancel it.
 *
 * @throws TimeoutError if the work takes longer than `seconds`, or the error of the work
 */
export async function withTimeout<T>(work: Promise<T>, seconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`The work did not finish within ${seconds} s.`)), seconds * 1000);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
