import type { Authorization } from './authorizer.ts';
import type { ApiGatewayHandler, AuthorizedRequest, ResponseBody } from './handler.ts';
import { authorizeRequest } from './middleware/authorization.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { attachEtag, respondNotModified } from './middleware/etag.ts';
import { validateQuery } from './middleware/query-validation.ts';
import type { Operation, OperationSpec } from './operation.ts';

/**
 * Endpoint of an organization's GET or DELETE: 401, 400 for the path, 403, 429, 400 for the query, then the handler. It is
 * separate from the other endpoints so that its bundles contain no body parser.
 */
export function authorizedBodylessEndpoint<Role extends string, S extends OperationSpec<Role> & { body: 'none' }>(
  declared: Operation<S>,
  authorization: Authorization<Role>,
  handle: (request: AuthorizedRequest<S, Role>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  const middleware = [authorizeRequest(declared, authorization), validateQuery(declared)];
  const { etag } = declared;
  if (etag === undefined) return composeEndpoint(declared, handle, middleware);
  return composeEndpoint(
    declared,
    handle,
    [...middleware, attachEtag(declared, etag.ignoredProperties)],
    [respondNotModified],
  );
}
