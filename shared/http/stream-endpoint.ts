import type { Writable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { ClientRateLimiter } from '../limits/client-rate-limiter.ts';
import { readSetting } from '../platform/settings.ts';
import { rateLimitedMiddleware } from './endpoint.ts';
import type { HandlerRequest } from './handler.ts';
import { attachRequestContext, type MiddlewareEvent } from './middleware/request-context.ts';
import { validateRequest } from './middleware/request-validation.ts';
import { serializeStream } from './middleware/stream-response.ts';
import type { Operation, OperationSpec } from './operation.ts';
import type { StartedStreamingResponse, StreamingResponse, TextDeltaStream } from './text-stream.ts';

type Streaming = OperationSpec & { body: 'json'; streamContentTypes: NonNullable<OperationSpec['streamContentTypes']> };

/** What a handler that streams is given: the parsed request, and word of a client that has left. */
export type StreamingRequest<S extends OperationSpec> = HandlerRequest<S> & {
  /** Aborted when nobody reads any more. Deployed, Lambda does not learn of that: what is called must be bounded too. */
  signal: AbortSignal;
};

/** A Lambda handler that writes its answer to a stream. */
export type ApiGatewayStreamHandler = (
  event: APIGatewayProxyEvent,
  stream: Writable,
  context: Context,
) => Promise<void>;

type Run = { gone: AbortController; deltas?: TextDeltaStream };

/**
 * The stack of a public operation that streams text: 413, 429 by address, 415 and 400, then the handler. Status and
 * headers wait for the first delta, so that what fails before it has a status of its own.
 */
export function streamEndpoint<S extends Streaming>(
  declared: Operation<S>,
  gate: ClientRateLimiter,
  handle: (call: StreamingRequest<S>) => Promise<StreamingResponse>,
): ApiGatewayStreamHandler {
  const runs = new WeakMap<object, Run>();
  const answered = async (event: MiddlewareEvent): Promise<StartedStreamingResponse> => {
    const run = runs.get(event) ?? { gone: new AbortController() };
    const { requestId } = event.context;
    const reply = await handle({ ...event.context, signal: run.gone.signal } as unknown as StreamingRequest<S>);
    run.deltas = reply.deltas;
    return { ...reply, requestId, first: await firstOf(reply.deltas, run.gone.signal) };
  };
  const stacked = middy(answered, {
    executionMode: executionModeStreamifyResponse,
    timeoutEarlyInMillis: 0,
    requestEnd: ({ event }: { event: MiddlewareEvent }) => ended(runs.get(event)),
  } as middy.PluginObject);
  const stages = [
    attachRequestContext(declared),
    serializeStream(declared, readSetting('corsOrigins')?.split(',') ?? []),
    ...rateLimitedMiddleware(declared, gate),
    validateRequest(declared),
  ];
  for (const stage of stages) stacked.use(stage as middy.MiddlewareObj<MiddlewareEvent>);
  const stream = stacked as unknown as ApiGatewayStreamHandler;
  return awslambda.streamifyResponse(
    async (event: APIGatewayProxyEvent, responseStream: Writable, context: Context) => {
      const run: Run = { gone: new AbortController() };
      runs.set(event, run);
      responseStream.once('close', () => run.gone.abort());
      await stream(event, responseStream, context);
    },
  ) as unknown as ApiGatewayStreamHandler;
}

/** A client that has left is no failure to report: the answer ends, and nobody reads it. */
function firstOf(deltas: TextDeltaStream, gone: AbortSignal): Promise<StartedStreamingResponse['first']> {
  return deltas.next().catch((cause: unknown) => {
    if (gone.aborted) return { done: true, value: 'other' };
    throw cause;
  });
}

/**
 * Waits until the deltas have ended whichever way the answer did: Lambda freezes the function when its handler is
 * done, and what they clean up must be done before.
 */
async function ended(run: Run | undefined): Promise<void> {
  run?.gone.abort();
  await run?.deltas?.return('other');
}
