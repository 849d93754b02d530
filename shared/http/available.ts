import { isUnavailable } from '../platform/aws-failure.ts';
import { Problem } from './problem.ts';

/** What comes of calls to AWS. @throws Problem 503 with `sentence` for a failure that passes, any other as it is */
export async function available<T>(sentence: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isUnavailable(cause)) throw cause;
    throw new Problem(503, sentence, { headers: { 'Retry-After': '1' }, cause });
  }
}
