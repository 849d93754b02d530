export class TimeoutError extends Error {
  override readonly name = 'OutOfTime';
}

/** What comes of the work, or OutOfTime: the work itself goes on, as nothing in this process can end it. */
export async function withTimeout<T>(work: Promise<T>, seconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`No answer within ${seconds} s.`)), seconds * 1000);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
