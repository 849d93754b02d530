import middy from '@middy/core';
import { isResponseValidationEnabled, readSetting } from '../../platform/settings.ts';
import type { ApiGatewayHandler } from '../handler.ts';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';
import { attachRequestContext, type MiddlewareEvent, type RequestContext } from './request-context.ts';
import { validateRequest } from './request-validation.ts';
import { serializeResponse } from './response.ts';

/**
 * A handler behind its stages: those of every operation around those that admit a request.
 *
 * @param finishing stages that are given the answer when it stands
 */
export function composeEndpoint<C>(
  declared: Operation,
  handle: (call: C) => Promise<unknown>,
  admission: readonly Middleware[],
  finishing: readonly Middleware[] = [],
): ApiGatewayHandler {
  const stages: Middleware[] = [
    attachRequestContext(declared),
    ...finishing,
    serializeResponse(declared, {
      corsOrigins: readSetting('corsOrigins')?.split(',') ?? [],
      validateReplies: isResponseValidationEnabled(),
    }),
    ...admission,
    validateRequest(declared),
  ];
  const parsed = handle as unknown as (call: RequestContext) => Promise<unknown>;
  // Lambda's own timeout is declared; an early answer of middy's would leave the handler's work running behind it.
  const stacked = middy((event: MiddlewareEvent) => parsed(event.context), { timeoutEarlyInMillis: 0 });
  return stacked.use(stages as middy.MiddlewareObj<MiddlewareEvent>[]) as unknown as ApiGatewayHandler;
}
