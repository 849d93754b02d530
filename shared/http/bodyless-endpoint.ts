import type { Authorization } from './authorizer.ts';
import type { ApiGatewayHandler, AuthorizedRequest, ResponseBody } from './handler.ts';
import { authorizeRequest } from './middleware/authorization.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { attachEtag, respondNotModified } from './middleware/etag.ts';
import { validateQuery } from './middleware/query-validation.ts';
import type { Operation, OperationDeclaration } from './operation.ts';

/**
 * Endpoint of an organization route with method GET or DELETE. Checks run in this order: 401, 400 for the path, 403,
 * 429, 400 for the query, 400 for the headers. This endpoint has its own file, so that the bundles of operations
 * without a body contain no body parser.
 */
export function authorizedBodylessEndpoint<
  Role extends string,
  D extends OperationDeclaration<Role> & { body: 'none' },
>(
  operation: Operation<D>,
  authorization: Authorization<Role>,
  handle: (request: AuthorizedRequest<D, Role>) => Promise<ResponseBody<D>>,
): ApiGatewayHandler {
  const middleware = [authorizeRequest(operation, authorization), validateQuery(operation)];
  const { etag } = operation;
  if (etag === undefined) return composeEndpoint(operation, handle, middleware);
  return composeEndpoint(
    operation,
    handle,
    [...middleware, attachEtag(operation, etag.ignoredProperties)],
    [respondNotModified],
  );
}
