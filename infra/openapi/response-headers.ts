import { type Operation, successStatus } from '../../shared/http/operation.ts';

type Header = { description: string; schema: Record<string, unknown> };

const text = { type: 'string' };
const seconds = { type: 'integer', minimum: 1 };
const count = { type: 'integer', minimum: 0 };

/** The documented response headers by name. Content type, CORS headers and security headers are not documented. */
export const RESPONSE_HEADERS = {
  'x-request-id': { description: 'Identifies the request in the logs; unique per request.', schema: text },
  'x-warning': {
    description:
      'For debugging. Names up to 3 properties of the request that look like misspellings of known properties. ' +
      'Absent if there are none. Only public operations send this header.',
    schema: text,
  },
  'Cache-Control': { description: 'The response must not be cached.', schema: { const: 'no-store' } },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: seconds },
  'RateLimit-Limit': {
    description: 'Allowed requests per window. Absent when the gateway enforces the limit.',
    schema: count,
  },
  'RateLimit-Remaining': {
    description: 'Requests left in this window. Absent when the gateway enforces the limit.',
    schema: count,
  },
  'RateLimit-Reset': {
    description: 'Seconds until the window ends. Absent when the gateway enforces the limit.',
    schema: seconds,
  },
  RateLimit: {
    description: 'The current state of the limit in the format of draft-ietf-httpapi-ratelimit-headers-10.',
    schema: text,
  },
  'RateLimit-Policy': {
    description: 'The limit in the format of draft-ietf-httpapi-ratelimit-headers-10.',
    schema: text,
  },
  Allow: { description: 'The methods of the path, separated by commas.', schema: text },
  'x-amzn-Remapped-WWW-Authenticate': {
    description: 'The authentication scheme. API Gateway delivers `WWW-Authenticate` under this name.',
    schema: { const: 'Bearer' },
  },
  'x-vercel-ai-ui-message-stream': {
    description: 'Version of the UI message stream. Sent only with `text/event-stream`.',
    schema: { const: 'v1' },
  },
  'Referrer-Policy': {
    description: 'The browser sends no referrer, because the URL of the page contains a token.',
    schema: { const: 'no-referrer' },
  },
  'X-Robots-Tag': { description: 'Search engines must not index the page.', schema: { const: 'noindex' } },
  ETag: { description: 'Weak validator. It changes when any number in the response changes.', schema: text },
} as const satisfies Record<string, Header>;

type HeaderName = keyof typeof RESPONSE_HEADERS;

const LIMIT_HEADERS: readonly HeaderName[] = [
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
];

/** The header `Cache-Control` of a cacheable response. */
const REVALIDATED_CACHE = {
  description: 'Only the client may cache the response, and must revalidate it each time.',
  schema: { const: 'private, no-cache' },
};

/** Returns the headers to document for an operation's response with this status. */
export function headersOf(declared: Operation, status: number): Record<string, unknown> {
  const isSuccess = status === successStatus(declared);
  const isRevalidated = declared.etag !== undefined && (isSuccess || status === 304);
  const names: HeaderName[] = ['x-request-id'];
  // Only public operations send x-warning. But all operations share the descriptions of error responses. Therefore,
  // every error response lists it.
  if (declared.auth === 'public' || status >= 400) names.push('x-warning');
  if (status === 401 && declared.auth !== 'public') names.push('x-amzn-Remapped-WWW-Authenticate');
  if (status === 405) names.push('Allow');
  if (status === 429) names.push(...LIMIT_HEADERS);
  if (status === 503) names.push('Retry-After');
  if (isSuccess && declared.streamContentTypes !== undefined) names.push('x-vercel-ai-ui-message-stream');
  if (isSuccess && declared.isPage) names.push('Referrer-Policy', 'X-Robots-Tag');
  const referred = (isRevalidated ? [...names, 'ETag'] : [...names, 'Cache-Control']).map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  return { ...Object.fromEntries(referred), ...(isRevalidated && { 'Cache-Control': REVALIDATED_CACHE }) };
}
