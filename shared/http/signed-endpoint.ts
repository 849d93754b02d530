import type { Call, HttpHandler, Reply } from './call.ts';
import type { Operation, OperationSpec } from './operation.ts';
import { assemble } from './stack/assemble.ts';
import { pathStage } from './stack/parse-stage.ts';
import { type Proof, signatureStage, signedBodyStage, signedLimitStage } from './stack/signed-stages.ts';

type Signed = OperationSpec & {
  body: 'json';
  auth: 'public';
  signatureHeader: string;
  limits: { bodyBytesMax: number };
};

/**
 * The stack of an operation whose callers prove themselves by a signature of the body instead of a token: 413, 401, then
 * 400 for the path, 415 and 400 for the body. Apart from the others, so that their bundles carry none of it.
 */
export function signedEndpoint<S extends Signed>(
  declared: Operation<S>,
  proof: Proof,
  handle: (call: Call<S>) => Promise<Reply<S>>,
): HttpHandler {
  return assemble(declared, handle, [
    signedLimitStage(declared.limits.bodyBytesMax),
    signatureStage(declared.signatureHeader, proof),
    pathStage(declared),
    signedBodyStage,
  ]);
}
