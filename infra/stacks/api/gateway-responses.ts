import { EXPOSED_HEADERS } from '../../../shared/http/cors-headers.ts';
import type { HttpErrorCode } from '../../../shared/http/errors.ts';
import { SECURITY_HEADERS } from '../../../shared/http/security-headers.ts';

export type GatewayResponse = {
  status: number;
  code: HttpErrorCode;
  message: string;
  headers?: Record<string, string>;
};

/**
 * Responses that the gateway sends itself. Each is an ApiError with `GATEWAY_HEADERS`. Only the local gateway sends
 * `requestTimedOut`, `headersTooLarge`, `queryNotEncoded` and `unavailable`. CDK deploys all others, as gateway
 * responses or as mock integrations.
 */
export const GATEWAY_RESPONSES = {
  pathNotFound: { status: 404, code: 'not_found', message: 'There is no such path in this service.' },
  /** The `Allow` header lists the resource's own methods and `OPTIONS`. */
  methodNotAllowed: {
    status: 405,
    code: 'method_not_allowed',
    message: 'This path does not support this method. See the Allow header.',
  },
  requestTimedOut: { status: 408, code: 'bad_request', message: 'The request did not arrive in time.' },
  /**
   * For the errors `headersTooLarge` and `queryNotEncoded`, API Gateway responds with its own messages and without CORS
   * headers. Gateway responses do not apply to these errors.
   */
  headersTooLarge: {
    status: 431,
    code: 'bad_request',
    message: 'The request line and headers must have at most 10,240 bytes.',
  },
  queryNotEncoded: {
    status: 400,
    code: 'bad_request',
    message: 'The characters |, { and } in a query must be percent-encoded.',
  },
  badRequest: { status: 400, code: 'bad_request', message: 'The gateway cannot process this request.' },
  forbidden: { status: 403, code: 'forbidden', message: 'The gateway refused this request.' },
  payloadTooLarge: {
    status: 413,
    code: 'payload_too_large',
    message: 'The request is larger than the gateway accepts.',
  },
  /**
   * Sent for a wrong method or an unknown path, if no mock integration supports the content type of the body. In this
   * case, the gateway cannot distinguish a wrong method from an unknown path, and cannot send `Allow`.
   */
  methodNotAllowedForType: {
    status: 405,
    code: 'method_not_allowed',
    message: 'There is no such path, or it does not support this method.',
  },
  rateLimited: {
    status: 429,
    code: 'rate_limited',
    message: 'Too many requests. Wait for the number of seconds in the Retry-After header, then try again.',
    headers: { 'Retry-After': '60' },
  },
  internalError: { status: 500, code: 'internal_error', message: 'The service failed to process the request.' },
  /** The function failed or returned an invalid response. */
  integrationFailed: {
    status: 502,
    code: 'internal_error',
    message: 'The service failed to process the request.',
  },
  unavailable: {
    status: 503,
    code: 'service_unavailable',
    message: 'The service is not available. Try again shortly.',
    headers: { 'Retry-After': '1' },
  },
  /** The 29 s timeout of a REST API was reached. */
  integrationTimedOut: {
    status: 504,
    code: 'service_unavailable',
    message: 'The service did not respond in time. The request may still take effect.',
  },
} satisfies Record<string, GatewayResponse>;

/**
 * Limits that the gateway enforces. `headerBytesMax` is the quota «Total combined size of request line and header
 * values» of a REST API (developer guide, quotas). `eventBytesMax` and `responseBytesMax` are Lambda's limits of the
 * event and of the response.
 */
export const GATEWAY_LIMITS = {
  headerBytesMax: 10_240,
  bodyBytesMax: 10 * 1024 * 1024,
  eventBytesMax: 6 * 1024 * 1024,
  responseBytesMax: 6 * 1024 * 1024,
  integrationSeconds: 29,
} as const;

/**
 * Bodies of this content type reach a function as base64. All other bodies arrive as text, in which files lose bytes.
 * If a client writes the content type with upper-case letters, the form also arrives as text. The function rejects the
 * form if bytes were lost.
 */
export const BINARY_MEDIA_TYPES = ['multipart/form-data'] as const;

const CORS = {
  // The AI SDK's hooks set the header User-Agent. Firefox and Safari send this header only if the preflight response
  // allows it.
  allowHeaders: ['Content-Type', 'Authorization', 'Idempotency-Key', 'User-Agent'],
  maxAgeSeconds: 3600,
} as const;

/** Headers of every response in `GATEWAY_RESPONSES`, in addition to its own headers and `x-request-id`. */
export const GATEWAY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  ...SECURITY_HEADERS,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
};

/** Returns the value of `Allow` and `Access-Control-Allow-Methods`: the resource's own methods and `OPTIONS`. */
export const allowedMethods = (methods: readonly string[]): string => [...methods, 'OPTIONS'].join(',');

/**
 * Returns the static headers of a preflight response. @param origin `*`, an allowed origin, or empty if none is allowed
 */
export function preflightHeaders(origin: string, methods: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': allowedMethods(methods),
    'Access-Control-Allow-Headers': CORS.allowHeaders.join(','),
    'Access-Control-Max-Age': String(CORS.maxAgeSeconds),
    'Cache-Control': 'no-store',
    ...SECURITY_HEADERS,
  };
}
