import type { Writable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { readSetting } from '../platform/settings.ts';
import type { ClientRateLimiter } from './client-rate-limiter.ts';
import { rateLimitedMiddleware } from './endpoint.ts';
import type { HandlerRequest } from './handler.ts';
import type { MiddlewareEvent } from './middleware/middleware.ts';
import { attachRequestState } from './middleware/request-state.ts';
import { validateHeadersAndBody } from './middleware/request-validation.ts';
import { serializeStream } from './middleware/stream-response.ts';
import type { Operation, OperationDeclaration } from './operation.ts';
import type { StartedStreamingResponse, StreamingResponse, TextDeltaStream } from './text-stream.ts';

type StreamingDeclaration = OperationDeclaration & {
  body: 'json';
  streamContentTypes: NonNullable<OperationDeclaration['streamContentTypes']>;
};

export type StreamingRequest<D extends OperationDeclaration> = HandlerRequest<D> & {
  /**
   * Aborted when the response stream closes, and when the invocation ends. Lambda does not report disconnected clients,
   * so handlers also need timeouts.
   */
  signal: AbortSignal;
};

export type ApiGatewayStreamHandler = (
  event: APIGatewayProxyEvent,
  stream: Writable,
  context: Context,
) => Promise<void>;

type Invocation = { closed: AbortController; deltas?: TextDeltaStream };

/**
 * Endpoint of a public operation that streams text. Checks run in the order of `rateLimitedEndpoint`. Status and
 * headers are not sent before the first delta. An earlier error therefore has its own status.
 */
export function streamEndpoint<D extends StreamingDeclaration>(
  operation: Operation<D>,
  clientRateLimiter: ClientRateLimiter,
  handle: (request: StreamingRequest<D>) => Promise<StreamingResponse>,
): ApiGatewayStreamHandler {
  const invocations = new WeakMap<object, Invocation>();
  const startResponse = async (event: MiddlewareEvent): Promise<StartedStreamingResponse> => {
    const invocation = invocations.get(event) ?? { closed: new AbortController() };
    const { signal } = invocation.closed;
    const response = await handle({ ...event.requestState, signal } as unknown as StreamingRequest<D>);
    invocation.deltas = response.deltas;
    return { ...response, requestId: event.requestState.requestId, first: await firstDelta(response.deltas, signal) };
  };
  const composed = middy(startResponse, {
    executionMode: executionModeStreamifyResponse,
    timeoutEarlyInMillis: 0,
    requestEnd: ({ event }: { event: MiddlewareEvent }) => endInvocation(invocations.get(event)),
  } as middy.PluginObject);
  const middleware = [
    attachRequestState(operation),
    serializeStream(operation, readSetting('corsOrigins')?.split(',') ?? []),
    ...rateLimitedMiddleware(operation, clientRateLimiter),
    validateHeadersAndBody(operation),
  ];
  for (const one of middleware) composed.use(one as middy.MiddlewareObj<MiddlewareEvent>);
  const streamingHandler = composed as unknown as ApiGatewayStreamHandler;
  return awslambda.streamifyResponse(
    async (event: APIGatewayProxyEvent, responseStream: Writable, context: Context) => {
      const invocation: Invocation = { closed: new AbortController() };
      invocations.set(event, invocation);
      responseStream.once('close', () => invocation.closed.abort());
      await streamingHandler(event, responseStream, context);
    },
  ) as unknown as ApiGatewayStreamHandler;
}

/** Waits for the first delta. If the response stream has closed, an error ends the text instead of being thrown. */
function firstDelta(deltas: TextDeltaStream, closed: AbortSignal): Promise<StartedStreamingResponse['first']> {
  return deltas.next().catch((cause: unknown) => {
    if (closed.aborted) return { done: true, value: 'other' };
    throw cause;
  });
}

/** Runs the cleanup of the deltas before the handler returns, because Lambda freezes the function after the return. */
async function endInvocation(invocation: Invocation | undefined): Promise<void> {
  invocation?.closed.abort();
  await invocation?.deltas?.return('other');
}
