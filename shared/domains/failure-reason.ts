import { HttpError } from '../http/errors.ts';
import { CdnError } from './cdn-provider.ts';

/** What the operator is told of a failure; what nobody foresaw is in the log. */
export const failureReason = (error: unknown): string =>
  error instanceof CdnError || error instanceof HttpError
    ? error.message
    : 'Something failed that nobody foresaw: the log of the background functions tells what.';
