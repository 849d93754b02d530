import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';

/** 16 bytes in base64url, so that collisions are practically impossible. */
const ETAG_CHARACTERS = 22;

/**
 * Computes a weak ETag. Responses with equal ETags are equivalent, but not always equal byte by byte.
 *
 * @param ignoredProperties properties of the response that are not part of the ETag
 */
export function attachEtag(operation: Operation, ignoredProperties: readonly string[]): Middleware {
  return {
    after: ({ event: { requestState }, response }) => {
      const significant = Object.entries(response ?? {}).filter(([name]) => !ignoredProperties.includes(name));
      const input = JSON.stringify([operation.id, requestState.path, requestState.query, significant]);
      const hash = createHash('sha256').update(input).digest('base64url');
      requestState.etag = `W/"${hash.slice(0, ETAG_CHARACTERS)}"`;
    },
  };
}

/**
 * Responds with 304 without a body if `If-None-Match` matches (RFC 9110, 13.1.2). `no-cache` makes clients revalidate
 * every time. `private` keeps responses out of shared caches, because they depend on the user.
 */
export const respondNotModified: Middleware = {
  after: (request) => {
    const { etag, headers } = request.event.requestState;
    const { response } = request;
    if (etag === undefined || response?.statusCode !== 200) return;
    const cacheHeaders = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Origin', ETag: etag };
    const responseHeaders = { ...response.headers, ...cacheHeaders };
    request.response = matches(headers['if-none-match'], etag)
      ? notModified(responseHeaders)
      : { ...response, headers: responseHeaders };
  },
};

function notModified(headers: NonNullable<APIGatewayProxyResult['headers']>): APIGatewayProxyResult {
  const { 'Content-Type': _noBody, ...kept } = headers;
  return { statusCode: 304, headers: kept, body: '' };
}

/** Whether `If-None-Match` is `*` or lists the ETag, weak or strong. Malformed entries never match. */
function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined || condition.trim() === '*') return condition !== undefined;
  const listed = condition.split(',').map((name) => name.trim());
  return listed.includes(etag) || listed.includes(etag.slice('W/'.length));
}
