import middy from '@middy/core';
import { readSetting } from '../../platform/settings.ts';
import type { ApiGatewayHandler } from '../handler.ts';
import type { Operation } from '../operation.ts';
import type { Middleware, MiddlewareEvent, RequestState } from './middleware.ts';
import { attachRequestState } from './request-state.ts';
import { validateHeadersAndBody } from './request-validation.ts';
import { serializeResponse } from './response.ts';

/**
 * Puts a handler behind its middleware.
 *
 * @param requestMiddleware runs before `validateHeadersAndBody`, for example to parse the body
 * @param responseMiddleware runs after the response is serialized
 */
export function composeEndpoint<Request>(
  operation: Operation,
  handle: (request: Request) => Promise<unknown>,
  requestMiddleware: readonly Middleware[],
  responseMiddleware: readonly Middleware[] = [],
): ApiGatewayHandler {
  const middleware: Middleware[] = [
    attachRequestState(operation),
    // middy runs `after` hooks in reverse order, so these hooks run after that of `serializeResponse`.
    ...responseMiddleware,
    serializeResponse(operation, readSetting('corsOrigins')?.split(',') ?? []),
    ...requestMiddleware,
    validateHeadersAndBody(operation),
  ];
  const handleParsed = handle as unknown as (request: RequestState) => Promise<unknown>;
  // Lambda enforces the declared timeout. An early response by middy would leave the handler running in the background.
  const composed = middy((event: MiddlewareEvent) => handleParsed(event.requestState), { timeoutEarlyInMillis: 0 });
  return composed.use(middleware as middy.MiddlewareObj<MiddlewareEvent>[]) as unknown as ApiGatewayHandler;
}
