import middy from '@middy/core';
import { isResponseValidationEnabled, readSetting } from '../../platform/settings.ts';
import type { ApiGatewayHandler } from '../handler.ts';
import type { Operation } from '../operation.ts';
import type { Middleware, MiddlewareEvent, RequestContext } from './middleware.ts';
import { attachRequestContext } from './request-context.ts';
import { validateRequest } from './request-validation.ts';
import { serializeResponse } from './response.ts';

/**
 * Puts a handler behind its middleware.
 *
 * @param requestMiddleware runs before the handler
 * @param responseMiddleware runs after the response is serialized
 */
export function composeEndpoint<Request>(
  declared: Operation,
  handle: (request: Request) => Promise<unknown>,
  requestMiddleware: readonly Middleware[],
  responseMiddleware: readonly Middleware[] = [],
): ApiGatewayHandler {
  const middleware: Middleware[] = [
    attachRequestContext(declared),
    ...responseMiddleware,
    serializeResponse(declared, {
      corsOrigins: readSetting('corsOrigins')?.split(',') ?? [],
      isValidationEnabled: isResponseValidationEnabled(),
    }),
    ...requestMiddleware,
    validateRequest(declared),
  ];
  const handleParsed = handle as unknown as (request: RequestContext) => Promise<unknown>;
  // Lambda enforces the declared timeout. An early response by middy would leave the handler running in the background.
  const composed = middy((event: MiddlewareEvent) => handleParsed(event.context), { timeoutEarlyInMillis: 0 });
  return composed.use(middleware as middy.MiddlewareObj<MiddlewareEvent>[]) as unknown as ApiGatewayHandler;
}
