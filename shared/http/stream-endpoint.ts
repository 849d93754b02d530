import type { Writable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { optionalConfig } from '../platform/config.ts';
import type { AddressGate } from './address-gate.ts';
import type { Call } from './call.ts';
import { limitedAdmission } from './endpoint.ts';
import type { Operation, OperationSpec } from './operation.ts';
import { frameStage, type StackEvent } from './stack/frame.ts';
import { requestStage } from './stack/parse-stage.ts';
import { streamAnswerStage } from './stack/stream-answer-stage.ts';
import type { BegunReply, StreamReply, TextDeltas } from './stack/stream-format.ts';

type Streaming = OperationSpec & { body: 'json'; streams: NonNullable<OperationSpec['streams']> };

/** What a handler that streams is given: the parsed request, and word of a client that has left. */
export type StreamCall<S extends OperationSpec> = Call<S> & {
  /** Aborted when nobody reads any more. Deployed, Lambda does not learn of that: what is called must be bounded too. */
  signal: AbortSignal;
};

/** A Lambda handler that writes its answer to a stream. */
export type StreamHandler = (event: APIGatewayProxyEvent, stream: Writable, context: Context) => Promise<void>;

type Run = { gone: AbortController; deltas?: TextDeltas };

/**
 * The stack of a public operation that streams text: 413, 429 by address, 415 and 400, then the handler. Status and
 * headers wait for the first delta, so that what fails before it has a status of its own.
 */
export function streamEndpoint<S extends Streaming>(
  declared: Operation<S>,
  gate: AddressGate,
  handle: (call: StreamCall<S>) => Promise<StreamReply>,
): StreamHandler {
  const runs = new WeakMap<object, Run>();
  const answered = async (event: StackEvent): Promise<BegunReply> => {
    const run = runs.get(event) ?? { gone: new AbortController() };
    const { requestId } = event.frame;
    const reply = await handle({ ...event.frame, signal: run.gone.signal } as unknown as StreamCall<S>);
    run.deltas = reply.deltas;
    return { ...reply, requestId, first: await firstOf(reply.deltas, run.gone.signal) };
  };
  const stacked = middy(answered, {
    executionMode: executionModeStreamifyResponse,
    timeoutEarlyInMillis: 0,
    requestEnd: ({ event }: { event: StackEvent }) => ended(runs.get(event)),
  } as middy.PluginObject);
  const stages = [
    frameStage(declared),
    streamAnswerStage(declared, optionalConfig('corsOrigins')?.split(',') ?? []),
    ...limitedAdmission(declared, gate),
    requestStage(declared),
  ];
  for (const stage of stages) stacked.use(stage as middy.MiddlewareObj<StackEvent>);
  const stream = stacked as unknown as StreamHandler;
  return awslambda.streamifyResponse(
    async (event: APIGatewayProxyEvent, responseStream: Writable, context: Context) => {
      const run: Run = { gone: new AbortController() };
      runs.set(event, run);
      responseStream.once('close', () => run.gone.abort());
      await stream(event, responseStream, context);
    },
  ) as unknown as StreamHandler;
}

/** A client that has left is no failure to report: the answer ends, and nobody reads it. */
function firstOf(deltas: TextDeltas, gone: AbortSignal): Promise<BegunReply['first']> {
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
