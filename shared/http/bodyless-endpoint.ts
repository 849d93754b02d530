import type { Authorization } from './authorizer.ts';
import type { ApiGatewayHandler, AuthorizedRequest, ResponseBody } from './handler.ts';
import { authorizeRequest } from './middleware/authorization.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { attachEtag, respondNotModified } from './middleware/etag.ts';
import { validateQuery } from './middleware/query-validation.ts';
import type { Operation, OperationSpec } from './operation.ts';

/**
 * The stack of an organization's operation without a body, apart from the others so that its bundle carries no
 * parser: 401, 400 for the path, 403, 429, 400 for the query, then the handler.
 */
export function authorizedBodylessEndpoint<S extends OperationSpec & { body: 'none' }>(
  declared: Operation<S>,
  gate: Authorization,
  handle: (call: AuthorizedRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  const { etag: revalidates } = declared;
  const admission = [authorizeRequest(declared, gate), validateQuery(declared)];
  if (revalidates === undefined) return composeEndpoint(declared, handle, admission);
  const stages = [...admission, attachEtag(declared, revalidates.ignoredProperties)];
  return composeEndpoint(declared, handle, stages, [respondNotModified]);
}
