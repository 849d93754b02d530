import { HttpError } from '../errors.ts';
import { isNestedDeeperThan } from '../json-sanitizing.ts';
import { JSON_DEPTH_MAX, parseJson, requireJsonContentType } from './json-body.ts';
import type { Middleware } from './middleware.ts';

/** Whether a body's sender proves who it is by a signature. @throws Problem 503 while that can't be told */
export type SignatureVerifier = (signed: { signature: string | undefined; rawBody: string }) => Promise<boolean>;

/** 413 above the operation's own limit, before anything else is looked at. */
export const limitWebhookBody = (bytesMax: number): Middleware => ({
  before: ({ event: { context: frame } }) => {
    if (Buffer.byteLength(frame.rawBody) > bytesMax)
      throw new HttpError(413, `The body must have at most ${bytesMax} bytes.`);
  },
});

/**
 * 401 unless the header signs the body, byte for byte. Counts what it refuses, and what is refused as malformed although
 * it is signed: then a sender that we trust has changed what it sends.
 */
export function verifySignature(header: string, proof: SignatureVerifier): Middleware {
  const name = header.toLowerCase();
  return {
    before: async ({ event: { context: frame } }) => {
      const { headers, rawBody } = frame;
      if (await proof({ signature: headers[name], rawBody })) return;
      frame.log.recordMetric('SignaturesRefused');
      throw new HttpError(401, `The header ${header} must contain a valid and recent signature of the body.`);
    },
    onError: ({ error, event: { context: frame } }) => {
      if (error instanceof HttpError && error.status === 400) frame.log.recordMetric('SignedBodiesUnreadable');
    },
  };
}

/**
 * Reads the JSON of a signed body: 415 for another content type, 400 for malformed or too deep; NUL is its reader's
 * matter. Its text is let go of: megabytes that are held while stores are waited for are moved by the garbage collector.
 */
export const parseWebhookBody: Middleware = {
  before: (request) => {
    const { context: frame } = request.event;
    requireJsonContentType('json', frame.headers['content-type']);
    frame.body = parseJson(request);
    frame.rawBody = '';
    request.event.body = null;
    if (isNestedDeeperThan(frame.body, JSON_DEPTH_MAX))
      throw new HttpError(400, `body must have at most ${JSON_DEPTH_MAX} levels of nesting.`);
  },
};
