export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Returns the result of the work. The work itself continues after the timeout, because nothing in this process can
 * cancel it.
 *
 * @throws TimeoutError
 */
export async function withTimeout<T>(work: Promise<T>, seconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`No response within ${seconds} s.`)), seconds * 1000);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
