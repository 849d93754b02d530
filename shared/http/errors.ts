/** Every code an error answer can carry; a closed set, so that callers can switch on it. */
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

/** The statuses an operation can declare as errors. */
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
  /** Only where the status's usual code is too coarse, for example `invalid_update_token`. */
  code?: HttpErrorCode;
  headers?: Record<string, string>;
  /** Members beside or inside the ApiError that one operation's extended shape adds. */
  extension?: { error?: Record<string, unknown>; body?: Record<string, unknown> };
  cause?: unknown;
};

/**
 * An answer other than success, thrown by whoever finds it and turned into an ApiError by one mapper.
 * `message` is a sentence for the developer of the calling page: no stack, table name, ARN or input value.
 */
export class HttpError extends Error {
  readonly status: HttpErrorStatus;
  readonly code: HttpErrorCode;
  readonly headers: Record<string, string>;
  readonly extension: NonNullable<HttpErrorOptions['extension']>;

  constructor(status: HttpErrorStatus, message: string, options: HttpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.status = status;
    this.code = options.code ?? DEFAULT_CODES[status];
    this.headers = options.headers ?? {};
    this.extension = options.extension ?? {};
  }
}

/** A fault of ours; its cause is for the logs alone. */
export const internalError = (cause?: unknown): HttpError =>
  new HttpError(500, 'The service failed. The x-request-id header identifies the request in our logs.', {
    cause,
  });
