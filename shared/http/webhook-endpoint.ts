import type { ApiGatewayHandler, HandlerRequest, ResponseBody } from './handler.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { validatePath } from './middleware/request-validation.ts';
import {
  limitWebhookBody,
  parseWebhookBody,
  type SignatureVerifier,
  verifySignature,
} from './middleware/webhook-signature.ts';
import type { Operation, OperationSpec } from './operation.ts';

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
export function webhookEndpoint<S extends Signed>(
  declared: Operation<S>,
  proof: SignatureVerifier,
  handle: (call: HandlerRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  return composeEndpoint(declared, handle, [
    limitWebhookBody(declared.limits.bodyBytesMax),
    verifySignature(declared.signatureHeader, proof),
    validatePath(declared),
    parseWebhookBody,
  ]);
}
