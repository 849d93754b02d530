import { HttpError } from '../http/errors.ts';
import { isTransientAwsError } from './aws/transient-errors.ts';

/** What comes of calls to AWS. @throws Problem 503 with `sentence` for a failure that passes, any other as it is */
export async function rethrowAsUnavailable<T>(sentence: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isTransientAwsError(cause)) throw cause;
    throw new HttpError(503, sentence, { headers: { 'Retry-After': '1' }, cause });
  }
}
