import type { ClientRateLimiter } from '../limits/client-rate-limiter.ts';
import type { Authorization } from './authorizer.ts';
import type { ApiGatewayHandler, AuthorizedRequest, HandlerRequest, ResponseBody } from './handler.ts';
import { authorizeRequest } from './middleware/authorization.ts';
import { limitClientRate } from './middleware/client-rate-limit.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { limitJsonBody, parseJsonBody } from './middleware/json-body.ts';
import { validatePath } from './middleware/request-validation.ts';
import type { Operation, OperationSpec } from './operation.ts';

type WithBody = OperationSpec & { body: 'json' | 'json-beacon' };

/**
 * The stack of a public operation, in the order of decisions 2: 413, then 415 and 400, then what the handler finds.
 * The handler returns the reply's body or throws a `Problem`; its status comes from the declaration.
 */
export function publicEndpoint<S extends WithBody>(
  declared: Operation<S>,
  handle: (call: HandlerRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  return composeEndpoint(declared, handle, [limitJsonBody, ...parsing(declared)]);
}

/** The same for an operation that counts its calls by address: 429 comes right after 413. */
export function rateLimitedEndpoint<S extends WithBody>(
  declared: Operation<S>,
  gate: ClientRateLimiter,
  handle: (call: HandlerRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  return composeEndpoint(declared, handle, rateLimitedMiddleware(declared, gate));
}

/** What admits a request that is counted by address. */
export const rateLimitedMiddleware = (declared: Operation<WithBody>, gate: ClientRateLimiter) => [
  limitJsonBody,
  limitClientRate(declared, gate),
  ...parsing(declared),
];

const parsing = (declared: Operation<WithBody>) => [
  validatePath(declared),
  parseJsonBody(declared.body, 'removed', declared.optionalMetadata),
];

/** The stack of an organization's write: 413, 401, 400 for the path, 403, 429, then 415 and 400, then the handler. */
export function authorizedEndpoint<S extends WithBody>(
  declared: Operation<S>,
  gate: Authorization,
  handle: (call: AuthorizedRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  return composeEndpoint(declared, handle, [
    limitJsonBody,
    authorizeRequest(declared, gate),
    parseJsonBody(declared.body, 'refused'),
  ]);
}
