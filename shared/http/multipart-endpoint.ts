import type * as z from 'zod/mini';
import type { ClientRateLimiter } from '../limits/client-rate-limiter.ts';
import type { ApiGatewayHandler, HandlerRequest, ResponseBody } from './handler.ts';
import { limitClientRate } from './middleware/client-rate-limit.ts';
import { composeEndpoint } from './middleware/compose-endpoint.ts';
import { limitMultipartBody, parseMultipartBody } from './middleware/multipart-body.ts';
import { validatePath } from './middleware/request-validation.ts';
import type { Operation, OperationSpec } from './operation.ts';

type WithForm = OperationSpec & {
  body: 'multipart';
  request: { form: z.ZodMiniObject; body: z.ZodMiniType };
  limits: { formBytesMax: number; fileBytesMax: number };
};

/** A call whose body came as a form or as its JSON variant. */
export type MultipartRequest<S extends WithForm> = Omit<HandlerRequest<S>, 'body'> & {
  body: { form: z.output<S['request']['form']> } | { json: z.output<S['request']['body']> };
};

/**
 * The stack of a public operation that takes a form and counts its calls by address: 413, 429, then 415 and 400. Apart
 * from the others, so that only its bundle carries the parser.
 */
export function multipartEndpoint<S extends WithForm>(
  declared: Operation<S>,
  gate: ClientRateLimiter,
  handle: (call: MultipartRequest<S>) => Promise<ResponseBody<S>>,
): ApiGatewayHandler {
  const { body: _parsedByItsStage, ...request } = declared.request;
  return composeEndpoint({ ...declared, request }, handle, [
    limitMultipartBody(declared),
    limitClientRate(declared, gate),
    validatePath(declared),
    parseMultipartBody(declared),
  ]);
}
