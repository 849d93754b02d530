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

type WebhookSpec = OperationSpec & {
  body: 'json';
  auth: 'public';
  signatureHeader: string;
  limits: { bodyBytesMax: number };
};

/**
 * Endpoint of an operation that authenticates its sender by a signature of the body: 413, 401, 400 for the path, 415 and
 * 400 for the body, then the handler. It is separate so that other bundles don't contain it.
 */
export function webhookEndpoint<S extends WebhookSpec>(
  declared: Operation<S>,
  verifier: SignatureVerifier,
  handle: (request: HandlerRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  return composeEndpoint(declared, handle, [
    limitWebhookBody(declared.limits.bodyBytesMax),
    verifySignature(declared.signatureHeader, verifier),
    validatePath(declared),
    parseWebhookBody,
  ]);
}
