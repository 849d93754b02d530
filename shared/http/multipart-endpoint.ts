import type * as z from 'zod/mini';
import type { ClientRateLimiter } from './client-rate-limiter.ts';
import type { ApiGatewayHandler, HandlerRequest, ResponseBody } from './handler.ts';
import { limitClientRate } from './middleware/client-rate-limit.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { limitMultipartBody, parseMultipartBody } from './middleware/multipart-body.ts';
import { validatePath } from './middleware/request-validation.ts';
import type { Operation, OperationSpec } from './operation.ts';

type MultipartSpec = OperationSpec & {
  body: 'multipart';
  request: { form: z.ZodMiniObject; body: z.ZodMiniType };
  limits: { formBytesMax: number; fileBytesMax: number };
};

/** A request whose body is a form or the operation's JSON variant of it. */
export type MultipartRequest<S extends MultipartSpec> = Omit<HandlerRequest<S>, 'body'> & {
  body: { form: z.output<S['request']['form']> } | { json: z.output<S['request']['body']> };
};

/**
 * Endpoint of a public operation that accepts a form and has `perClient` limits: 413, 429, 415 and 400, then the handler.
 * It is separate from the other endpoints so that only its bundle contains the multipart parser.
 */
export function multipartEndpoint<S extends MultipartSpec>(
  declared: Operation<S>,
  clientRateLimiter: ClientRateLimiter,
  handle: (request: MultipartRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  const { body: _parsedByMiddleware, ...request } = declared.request;
  return composeEndpoint({ ...declared, request }, handle, [
    limitMultipartBody(declared),
    limitClientRate(declared, clientRateLimiter),
    validatePath(declared),
    parseMultipartBody(declared),
  ]);
}
