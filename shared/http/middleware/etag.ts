import { createHash } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';

/** 16 bytes in base64url, so that two replies never share a tag by chance. */
const TAG_CHARACTERS = 22;

/**
 * Gives the reply a weak entity tag: two answers with the same one say the same, not always in the same bytes.
 *
 * @param apartFrom members of the reply that say nothing by themselves
 */
export function attachEtag(declared: Operation, apartFrom: readonly string[]): Middleware {
  return {
    after: ({ event: { context: frame }, response }) => {
      const said = Object.entries(response ?? {}).filter(([name]) => !apartFrom.includes(name));
      const hash = createHash('sha256').update(JSON.stringify([declared.id, frame.path, frame.query, said]));
      frame.etag = `W/"${hash.digest('base64url').slice(0, TAG_CHARACTERS)}"`;
    },
  };
}

/**
 * Lets a caller keep a tagged answer as long as it asks each time whether it is still right: 304 without a body when it
 * is (RFC 9110, 13.1.2). The answer depends on who asks, so that no cache may share it.
 */
export const respondNotModified: Middleware = {
  after: (request) => {
    const { etag: tag, headers } = request.event.context;
    const answer = request.response;
    if (tag === undefined || answer?.statusCode !== 200) return;
    const kept = { ...answer.headers, 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Origin', ETag: tag };
    request.response = matches(headers['if-none-match'], tag) ? notModified(kept) : { ...answer, headers: kept };
  },
};

function notModified(headers: NonNullable<APIGatewayProxyResult['headers']>): APIGatewayProxyResult {
  const { 'Content-Type': _ofNoBody, ...kept } = headers;
  return { statusCode: 304, headers: kept, body: '' };
}

/** Whether If-None-Match names the tag, weak or strong, alone or in a list, or is `*`. What is none of these names nothing. */
function matches(condition: string | undefined, tag: string): boolean {
  if (condition === undefined || condition.trim() === '*') return condition !== undefined;
  const names = condition.split(',').map((name) => name.trim());
  return names.includes(tag) || names.includes(tag.slice('W/'.length));
}
