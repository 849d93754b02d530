import type * as z from 'zod/mini';
import type { ClientRateLimiter } from './client-rate-limiter.ts';
import type { ApiGatewayHandler, HandlerRequest, ResponseBody } from './handler.ts';
import { limitClientRate } from './middleware/client-rate-limit.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { limitMultipartBody, parseMultipartBody } from './middleware/multipart-body.ts';
import { validatePath } from './middleware/request-validation.ts';
import type { Operation, OperationDeclaration } from './operation.ts';

type MultipartDeclaration = OperationDeclaration & {
  body: 'multipart';
  request: { form: z.ZodMiniObject; body: z.ZodMiniType };
  limits: { formBytesMax: number; fileBytesMax: number };
};

/** A request whose body is a form or the operation's JSON variant of it. */
export type MultipartRequest<D extends MultipartDeclaration> = Omit<HandlerRequest<D>, 'body'> & {
  body: { form: z.output<D['request']['form']> } | { json: z.output<D['request']['body']> };
};

/**
 * Endpoint of a public operation that accepts a form and has `perClient` limits. Checks run in this order: 413 for the
 * body, 429, 400 for the path, 415, 400 for a malformed body, 413 for the file, 400 for the schema of the body, 400 for
 * the headers. This endpoint has its own file, so that only the bundles of operations that accept forms contain the
 * multipart parser.
 */
export function multipartEndpoint<D extends MultipartDeclaration>(
  operation: Operation<D>,
  clientRateLimiter: ClientRateLimiter,
  handle: (request: MultipartRequest<D>) => Promise<ResponseBody<D>>,
): ApiGatewayHandler {
  const { body: _parsedByMiddleware, ...request } = operation.request;
  return composeEndpoint({ ...operation, request }, handle, [
    limitMultipartBody(operation),
    limitClientRate(operation, clientRateLimiter),
    validatePath(operation),
    parseMultipartBody(operation),
  ]);
}
