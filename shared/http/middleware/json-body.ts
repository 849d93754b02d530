import middyJsonBodyParser from '@middy/http-json-body-parser';
import { HttpError } from '../errors.ts';
import { isNestedDeeperThan, stripNul } from '../json-sanitizing.ts';
import type { BodyKind } from '../operation.ts';
import type { Middleware } from './middleware.ts';
import type { MiddlewareRequest } from './request-context.ts';

/** The most a JSON body may have, in bytes of UTF-8. */
export const JSON_BODY_BYTES_MAX = 1_048_576;
export const JSON_DEPTH_MAX = 32;

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json(?:\s*;|\s*$)/i;
const PLAIN_TYPE = /^text\/plain(?:\s*;|\s*$)/i;

/** 413 before anything else is looked at. */
export const limitJsonBody: Middleware = {
  before: ({ event }) => {
    if (Buffer.byteLength(event.context.rawBody) > JSON_BODY_BYTES_MAX) {
      throw new HttpError(413, `The body must have at most ${JSON_BODY_BYTES_MAX} bytes.`);
    }
  },
};

/** Reads the JSON body: 415 for another content type, 400 for malformed, too deep or (organization routes) NUL. */
export function parseJsonBody(
  kind: Exclude<BodyKind, 'none' | 'multipart'>,
  nul: 'removed' | 'refused',
  sideMatters: readonly string[] = [],
): Middleware {
  const parse = kind === 'json-beacon' ? parseJson : withMiddy();
  return {
    before: (request) => {
      requireJsonContentType(kind, request.event.context.headers['content-type']);
      const parsed = parse(request);
      leaveOutDeep(parsed, sideMatters);
      if (isNestedDeeperThan(parsed, JSON_DEPTH_MAX))
        throw new HttpError(400, `body must have at most ${JSON_DEPTH_MAX} levels of nesting.`);
      request.event.context.body = nulFree(parsed, request.event.context.rawBody, nul);
    },
  };
}

function leaveOutDeep(body: unknown, sideMatters: readonly string[]): void {
  if (typeof body !== 'object' || body === null) return;
  for (const name of sideMatters) {
    if (isNestedDeeperThan(Reflect.get(body, name), JSON_DEPTH_MAX - 1)) Reflect.deleteProperty(body, name);
  }
}

export function requireJsonContentType(kind: BodyKind, contentType: string | undefined): void {
  if (!contentType || JSON_TYPE.test(contentType)) return;
  if (kind === 'json-beacon' && PLAIN_TYPE.test(contentType)) return;
  const accepted = kind === 'json-beacon' ? 'application/json or text/plain with JSON' : 'application/json';
  throw new HttpError(415, `The Content-Type must be ${accepted}.`);
}

type Parse = (request: MiddlewareRequest) => unknown;

/**
 * The parser refuses `__proto__` and `constructor.prototype` keys. Here they are data like any other, so what it
 * refuses is parsed once more; JSON.parse gives such keys no meaning, and no one downstream merges them.
 */
function withMiddy(): Parse {
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

/** By itself for beacons and long bodies: the parser visits every value, which costs a batch of events more than all that follows. */
export const parseJson: Parse = ({ event }) => {
  try {
    return JSON.parse(event.context.rawBody);
  } catch (cause) {
    throw new HttpError(400, 'body must be valid JSON.', { cause });
  }
};

/** A NUL can stand in JSON only as an escape, so that a body without one needs no walk. */
function nulFree(parsed: unknown, rawBody: string, nul: 'removed' | 'refused'): unknown {
  if (!rawBody.includes('\\u0000')) return parsed;
  const cleaned = stripNul(parsed);
  if (nul === 'refused' && cleaned.found) throw new HttpError(400, `${cleaned.found} must not contain NUL.`);
  return cleaned.value;
}
