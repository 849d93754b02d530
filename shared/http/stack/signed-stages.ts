import { Problem } from '../problem.ts';
import { DEPTH_MAX, plainly, refuseOtherTypes } from './body-stage.ts';
import { deeperThan } from './json-limits.ts';
import type { Stage } from './stage.ts';

/** Whether a body's sender proves who it is by a signature. @throws Problem 503 while that can't be told */
export type Proof = (signed: { signature: string | undefined; rawBody: string }) => Promise<boolean>;

/** 413 above the operation's own limit, before anything else is looked at. */
export const signedLimitStage = (bytesMax: number): Stage => ({
  before: ({ event: { frame } }) => {
    if (Buffer.byteLength(frame.rawBody) > bytesMax)
      throw new Problem(413, `The body must have at most ${bytesMax} bytes.`);
  },
});

/**
 * 401 unless the header signs the body, byte for byte. Counts what it refuses, and what is refused as malformed although
 * it is signed: then a sender that we trust has changed what it sends.
 */
export function signatureStage(header: string, proof: Proof): Stage {
  const name = header.toLowerCase();
  return {
    before: async ({ event: { frame } }) => {
      const { headers, rawBody } = frame;
      if (await proof({ signature: headers[name], rawBody })) return;
      frame.log.count('SignaturesRefused');
      throw new Problem(401, `The header ${header} must contain a valid and recent signature of the body.`);
    },
    onError: ({ error, event: { frame } }) => {
      if (error instanceof Problem && error.status === 400) frame.log.count('SignedBodiesUnreadable');
    },
  };
}

/**
 * Reads the JSON of a signed body: 415 for another content type, 400 for malformed or too deep; NUL is its reader's
 * matter. Its text is let go of: megabytes that are held while stores are waited for are moved by the garbage collector.
 */
export const signedBodyStage: Stage = {
  before: (request) => {
    const { frame } = request.event;
    refuseOtherTypes('json', frame.headers['content-type']);
    frame.body = plainly(request);
    frame.rawBody = '';
    request.event.body = null;
    if (deeperThan(frame.body, DEPTH_MAX))
      throw new Problem(400, `body must have at most ${DEPTH_MAX} levels of nesting.`);
  },
};
