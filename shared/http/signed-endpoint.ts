import type { ApiGatewayHandler, HandlerRequest, ResponseBody } from './handler.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { validatePath } from './middleware/request-validation.ts';
import {
  limitSignedBody,
  parseSignedBody,
  requireSignature,
  type SignatureVerifier,
} from './middleware/signed-body.ts';
import type { Operation, OperationDeclaration } from './operation.ts';

type SignedDeclaration = OperationDeclaration & {
  body: 'json';
  auth: 'public';
  signatureHeader: string;
  limits: { bodyBytesMax: number };
};

/**
 * Endpoint of an operation that authenticates the sender by a signature of the body. Checks run in this order: 413,
 * 401, 400 for the path, 415, 400 for malformed JSON, 400 for the headers, 400 for the schema of the body. This
 * endpoint has its own file, so that the bundles of other endpoints don't contain it.
 */
export function signedEndpoint<D extends SignedDeclaration>(
  operation: Operation<D>,
  verifier: SignatureVerifier,
  handle: (request: HandlerRequest<D>) => Promise<ResponseBody<D>>,
): ApiGatewayHandler {
  return composeEndpoint(operation, handle, [
    limitSignedBody(operation.limits.bodyBytesMax),
    requireSignature(operation.signatureHeader, verifier),
    validatePath(operation),
    parseSignedBody,
  ]);
}
