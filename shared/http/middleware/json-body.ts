import middyJsonBodyParser from '@middy/http-json-body-parser';
import { HttpError } from '../errors.ts';
import { isNestedDeeperThan, stripNul } from '../json-sanitizing.ts';
import type { BodyKind } from '../operation.ts';
import type { Middleware, MiddlewareRequest } from './middleware.ts';

/** Maximum size of a JSON body, in bytes of UTF-8. */
export const JSON_BODY_BYTES_MAX = 1_048_576;
const JSON_DEPTH_MAX = 32;

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json(?:\s*;|\s*$)/i;
const PLAIN_TYPE = /^text\/plain(?:\s*;|\s*$)/i;

/** Responds with 413 to a body over the limit. Runs before all other checks. */
export const limitJsonBody: Middleware = {
  before: ({ event }) => {
    if (Buffer.byteLength(event.requestState.rawBody) > JSON_BODY_BYTES_MAX) {
      throw new HttpError(413, `The body must have at most ${JSON_BODY_BYTES_MAX} bytes.`);
    }
  },
};

/**
 * Parses the JSON body. Responds with 415 to a wrong content type, and with 400 to malformed or too deeply nested JSON.
 *
 * @param onNul what to do with NUL characters: public routes strip them, organization routes respond with 400
 * @param optionalMetadata properties that are dropped when they are nested too deeply
 */
export function parseJsonBody(
  kind: Exclude<BodyKind, 'none' | 'multipart'>,
  onNul: 'strip_nul' | 'reject_nul',
  optionalMetadata: readonly string[] = [],
): Middleware {
  const parse = kind === 'json-beacon' ? parseJson : createMiddyParser();
  return {
    before: (request) => {
      const { requestState } = request.event;
      requireJsonContentType(kind, requestState.headers['content-type']);
      const parsed = parse(request);
      dropTooDeep(parsed, optionalMetadata);
      requireJsonDepth(parsed);
      requestState.body = handleNul(parsed, requestState.rawBody, onNul);
    },
  };
}

/** @throws HttpError 400 */
export function requireJsonDepth(body: unknown): void {
  if (isNestedDeeperThan(body, JSON_DEPTH_MAX)) {
    throw new HttpError(400, `body must have at most ${JSON_DEPTH_MAX} levels of nesting.`);
  }
}

function dropTooDeep(body: unknown, optionalMetadata: readonly string[]): void {
  if (typeof body !== 'object' || body === null) return;
  for (const name of optionalMetadata) {
    if (isNestedDeeperThan(Reflect.get(body, name), JSON_DEPTH_MAX - 1)) Reflect.deleteProperty(body, name);
  }
}

export const isJsonType = (contentType: string): boolean => JSON_TYPE.test(contentType);

/** An absent Content-Type is accepted. @throws HttpError 415 */
export function requireJsonContentType(kind: BodyKind, contentType: string | undefined): void {
  if (!contentType || isJsonType(contentType)) return;
  if (kind === 'json-beacon' && PLAIN_TYPE.test(contentType)) return;
  const accepted = kind === 'json-beacon' ? 'application/json or text/plain with JSON' : 'application/json';
  throw new HttpError(415, `The Content-Type must be ${accepted}.`);
}

type Parse = (request: MiddlewareRequest) => unknown;

/**
 * middy's parser rejects the keys `__proto__` and `constructor.prototype`. In this API, these keys are data. A body
 * that middy rejects is therefore parsed again with JSON.parse, which defines the keys as own properties. This is safe,
 * because no code merges parsed bodies into other objects.
 */
function createMiddyParser(): Parse {
  const { before } = middyJsonBodyParser({ disableContentTypeCheck: true });
  return (request) => {
    try {
      (before as (request: MiddlewareRequest) => void)(request);
      return request.event.body;
    } catch {
      return parseJson(request);
    }
  };
}

/**
 * Parses the body without middy's parser. Beacons and signed bodies use this function, because middy's parser visits
 * every value, which takes longer than everything else in an ingest request.
 */
export const parseJson: Parse = ({ event }) => {
  try {
    return JSON.parse(event.requestState.rawBody);
  } catch (cause) {
    throw new HttpError(400, 'body must be valid JSON.', { cause });
  }
};

/** JSON can contain NUL only as an escape sequence, so most bodies need no traversal. */
function handleNul(parsed: unknown, rawBody: string, onNul: 'strip_nul' | 'reject_nul'): unknown {
  if (!rawBody.includes('\\u0000')) return parsed;
  const stripped = stripNul(parsed);
  if (onNul === 'reject_nul' && stripped.found) throw new HttpError(400, `${stripped.found} must not contain NUL.`);
  return stripped.value;
}
