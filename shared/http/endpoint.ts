import type { Authorization } from './authorizer.ts';
import type { ClientRateLimiter } from './client-rate-limiter.ts';
import type { ApiGatewayHandler, AuthorizedRequest, HandlerRequest, ResponseBody } from './handler.ts';
import { authorizeRequest } from './middleware/authorization.ts';
import { limitClientRate } from './middleware/client-rate-limit.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { limitJsonBody, parseJsonBody } from './middleware/json-body.ts';
import { validatePath } from './middleware/request-validation.ts';
import type { Operation, OperationDeclaration } from './operation.ts';

type WithJsonBody = { body: 'json' | 'json-beacon' };

/**
 * Endpoint of a public operation without `perClient` limits. Checks run in this order: 413, 400 for the path, 415, 400
 * for malformed JSON, 400 for the headers, 400 for the schema of the body.
 *
 * @param handle returns the response body or throws an `HttpError`; the success status comes from the declaration
 */
export function publicEndpoint<D extends OperationDeclaration & WithJsonBody>(
  operation: Operation<D>,
  handle: (request: HandlerRequest<D>) => Promise<ResponseBody<D>>,
): ApiGatewayHandler {
  return composeEndpoint(operation, handle, [limitJsonBody, ...parsePublicRequest(operation)]);
}

/**
 * Endpoint of a public operation with `perClient` limits. Checks run in the order of `publicEndpoint`, with a check for
 * 429 directly after 413.
 */
export function rateLimitedEndpoint<D extends OperationDeclaration & WithJsonBody>(
  operation: Operation<D>,
  clientRateLimiter: ClientRateLimiter,
  handle: (request: HandlerRequest<D>) => Promise<ResponseBody<D>>,
): ApiGatewayHandler {
  return composeEndpoint(operation, handle, rateLimitedMiddleware(operation, clientRateLimiter));
}

export const rateLimitedMiddleware = (
  operation: Operation<OperationDeclaration & WithJsonBody>,
  clientRateLimiter: ClientRateLimiter,
) => [limitJsonBody, limitClientRate(operation, clientRateLimiter), ...parsePublicRequest(operation)];

const parsePublicRequest = (operation: Operation<OperationDeclaration & WithJsonBody>) => [
  validatePath(operation),
  parseJsonBody(operation.body, 'strip_nul', operation.optionalMetadata),
];

/**
 * Endpoint of an organization route with a body. Checks run in this order: 413, 401, 400 for the path, 403, 429, then
 * the checks of `publicEndpoint` from 415 on.
 */
export function authorizedEndpoint<Role extends string, D extends OperationDeclaration<Role> & WithJsonBody>(
  operation: Operation<D>,
  authorization: Authorization<Role>,
  handle: (request: AuthorizedRequest<D, Role>) => Promise<ResponseBody<D>>,
): ApiGatewayHandler {
  return composeEndpoint(operation, handle, [
    limitJsonBody,
    authorizeRequest(operation, authorization),
    parseJsonBody(operation.body, 'reject_nul'),
  ]);
}
