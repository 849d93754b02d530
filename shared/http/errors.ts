import type { UnavailableError } from '../platform/unavailable.ts';

/** Error codes of the API. The set is closed, so that clients can switch on the code. */
export const HTTP_ERROR_CODES = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'invalid_update_token',
  'code_invalid',
  'code_expired',
  'too_many_attempts',
  'rate_limited',
  'internal_error',
  'service_unavailable',
] as const;

export type HttpErrorCode = (typeof HTTP_ERROR_CODES)[number];

export type HttpErrorStatus = 400 | 401 | 403 | 404 | 405 | 413 | 415 | 422 | 429 | 500 | 502 | 503;

const DEFAULT_CODES: Record<HttpErrorStatus, HttpErrorCode> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'rate_limited',
  500: 'internal_error',
  502: 'service_unavailable',
  503: 'service_unavailable',
};

type HttpErrorOptions = {
  /**
   * Default: the code of the status. Set another code only where the default is too coarse, for example
   * `invalid_update_token`.
   */
  code?: HttpErrorCode;
  headers?: Record<string, string>;
  /** Properties added to the response body (`body`) or to its `error` object (`error`). */
  extension?: { error?: Record<string, unknown>; body?: Record<string, unknown> };
  cause?: unknown;
};

/**
 * HTTP error. Throw it from any layer above `platform`; the response middleware turns it into the response. `message`
 * is public, for the developer of the client. It must contain no stack traces, table names, ARNs or input values.
 */
export class HttpError extends Error {
  readonly status: HttpErrorStatus;
  readonly code: HttpErrorCode;
  readonly headers: Record<string, string>;
  readonly extension: NonNullable<HttpErrorOptions['extension']>;

  constructor(status: HttpErrorStatus, message: string, options: HttpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HttpError';
    this.status = status;
    this.code = options.code ?? DEFAULT_CODES[status];
    this.headers = options.headers ?? {};
    this.extension = options.extension ?? {};
  }
}

/** Creates a 500 for an unexpected error. The cause is logged and never sent to the client. */
export const internalError = (cause?: unknown): HttpError =>
  new HttpError(500, 'Internal error. To report it, include the value of the x-request-id response header.', { cause });

/** Converts an `UnavailableError` into a 503 with `Retry-After`. */
export const serviceUnavailable = (error: UnavailableError): HttpError =>
  new HttpError(503, error.message, { headers: { 'Retry-After': `${error.retryAfterSeconds}` }, cause: error });

type ExceededLimit = { limit: number; windowSeconds: number; resetSeconds: number; remaining?: number; name?: string };

/** Creates a 429. Its message and headers contain the seconds until the next request is allowed. */
export function tooManyRequests(exceeded: ExceededLimit): HttpError {
  const { limit, windowSeconds } = exceeded;
  const headers = rateLimitHeaders(exceeded);
  const message = `Rate limit of ${limit} per ${windowSeconds} s exceeded. Try again in ${headers['Retry-After']} s.`;
  return new HttpError(429, message, { headers });
}

/**
 * Returns `Retry-After`, and the headers `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-10.
 * Also returns the three headers of earlier versions of the draft, because most clients read these.
 *
 * @param exceeded `name` is the name of the policy
 */
export function rateLimitHeaders({
  limit,
  windowSeconds,
  resetSeconds,
  remaining = 0,
  name = 'default',
}: ExceededLimit) {
  const reset = String(Math.max(1, Math.ceil(resetSeconds)));
  return {
    'Retry-After': reset,
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': reset,
    RateLimit: `"${name}";r=${remaining};t=${reset}`,
    'RateLimit-Policy': `"${name}";q=${limit};w=${windowSeconds}`,
  };
}
