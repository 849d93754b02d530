import type { Authorization } from './authorizer.ts';
import type { ClientRateLimiter } from './client-rate-limiter.ts';
import type { ApiGatewayHandler, AuthorizedRequest, HandlerRequest, ResponseBody } from './handler.ts';
import { authorizeRequest } from './middleware/authorization.ts';
import { limitClientRate } from './middleware/client-rate-limit.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { limitJsonBody, parseJsonBody } from './middleware/json-body.ts';
import { validatePath } from './middleware/request-validation.ts';
import type { Operation, OperationSpec } from './operation.ts';

type WithJsonBody = { body: 'json' | 'json-beacon' };

/**
 * Endpoint of a public operation. Checks run in this order: 413, 415 and 400, then the handler.
 *
 * @param handle returns the response body or throws an `HttpError`; the success status comes from the declaration
 */
export function publicEndpoint<S extends OperationSpec & WithJsonBody>(
  declared: Operation<S>,
  handle: (request: HandlerRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  return composeEndpoint(declared, handle, [limitJsonBody, ...parsePublicRequest(declared)]);
}

/** Endpoint of a public operation with `perClient` limits: 413, 429, 415 and 400, then the handler. */
export function rateLimitedEndpoint<S extends OperationSpec & WithJsonBody>(
  declared: Operation<S>,
  clientRateLimiter: ClientRateLimiter,
  handle: (request: HandlerRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  return composeEndpoint(declared, handle, rateLimitedMiddleware(declared, clientRateLimiter));
}

export const rateLimitedMiddleware = (
  declared: Operation<OperationSpec & WithJsonBody>,
  clientRateLimiter: ClientRateLimiter,
) => [limitJsonBody, limitClientRate(declared, clientRateLimiter), ...parsePublicRequest(declared)];

const parsePublicRequest = (declared: Operation<OperationSpec & WithJsonBody>) => [
  validatePath(declared),
  parseJsonBody(declared.body, 'strip', declared.optionalMetadata),
];

/** Endpoint of an organization's write: 413, 401, 400 for the path, 403, 429, 415 and 400, then the handler. */
export function authorizedEndpoint<Role extends string, S extends OperationSpec<Role> & WithJsonBody>(
  declared: Operation<S>,
  authorization: Authorization<Role>,
  handle: (request: AuthorizedRequest<S, Role>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  return composeEndpoint(declared, handle, [
    limitJsonBody,
    authorizeRequest(declared, authorization),
    parseJsonBody(declared.body, 'reject'),
  ]);
}
