import { HttpError } from '../http/errors.ts';
import { UnavailableError } from '../platform/unavailable.ts';
import { CdnError } from './cdn-provider.ts';

/** Describes a failure for operators. The details of an unexpected error are only in the log. */
export const describeFailure = (error: unknown): string =>
  error instanceof CdnError || error instanceof HttpError || error instanceof UnavailableError
    ? error.message
    : 'Unexpected error. See the log of the background functions.';
