import { isTransientAwsError } from './aws/transient-errors.ts';

/** A dependency is temporarily unavailable. HTTP endpoints respond with 503 and `Retry-After`. */
export class UnavailableError extends Error {
  readonly retryAfterSeconds: number;

  /** @param publicMessage sent to clients; must contain no table names, ARNs or input values */
  constructor(publicMessage: string, { retryAfterSeconds, cause }: { retryAfterSeconds: number; cause: unknown }) {
    super(publicMessage, { cause });
    this.name = 'UnavailableError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** @throws UnavailableError with `publicMessage` for a transient AWS error. Rethrows other errors of `work`. */
export async function rethrowAsUnavailable<T>(publicMessage: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isTransientAwsError(cause)) throw cause;
    throw new UnavailableError(publicMessage, { retryAfterSeconds: 1, cause });
  }
}

/** @throws UnavailableError when the secret can't be read */
export function readSecretOrUnavailable(read: () => Promise<string>): Promise<string> {
  return read().catch((cause: unknown) => {
    throw new UnavailableError('The service is temporarily unavailable. Try again shortly.', {
      retryAfterSeconds: 5,
      cause,
    });
  });
}
