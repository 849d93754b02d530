import { HttpError } from '../errors.ts';
import { parseJson, requireJsonContentType, requireJsonDepth } from './json-body.ts';
import type { Middleware } from './middleware.ts';

/** Whether the signature authenticates the body. @throws UnavailableError when the secret can't be read */
export type SignatureVerifier = (signed: { signature: string | undefined; rawBody: string }) => Promise<boolean>;

/** Responds with 413 to a body over the operation's limit. Runs before all other checks. */
export const limitSignedBody = (bytesMax: number): Middleware => ({
  before: ({ event: { requestState } }) => {
    if (Buffer.byteLength(requestState.rawBody) > bytesMax) {
      throw new HttpError(413, `The body must have at most ${bytesMax} bytes.`);
    }
  },
});

/**
 * Responds with 401 if the header does not contain a valid signature of the body. Metrics count these 401s. Metrics
 * also count each 400 after a valid signature, because it means that a trusted sender has changed the format of its
 * bodies.
 */
export function requireSignature(header: string, verifier: SignatureVerifier): Middleware {
  const name = header.toLowerCase();
  return {
    before: async ({ event: { requestState } }) => {
      const { headers, rawBody, log } = requestState;
      if (await verifier({ signature: headers[name], rawBody })) return;
      log.recordMetric('SignaturesRefused');
      throw new HttpError(401, `The header ${header} must contain a valid and recent signature of the body.`);
    },
    onError: ({ error, event: { requestState } }) => {
      if (error instanceof HttpError && error.status === 400) requestState.log.recordMetric('SignedBodiesUnreadable');
    },
  };
}

/**
 * Parses the JSON of a signed body. Responds with 415 to a wrong content type, and with 400 to malformed or too deeply
 * nested JSON. Does not remove NUL characters. Releases the body's text, because the garbage collector would otherwise
 * copy megabytes while the handler waits for I/O.
 */
export const parseSignedBody: Middleware = {
  before: (request) => {
    const { requestState } = request.event;
    requireJsonContentType('json', requestState.headers['content-type']);
    requestState.body = parseJson(request);
    requestState.rawBody = '';
    request.event.body = null;
    requireJsonDepth(requestState.body);
  },
};
