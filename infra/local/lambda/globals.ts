import type { Writable } from 'node:stream';

/** A stream with this content type starts with a prelude: status and headers, then eight NUL bytes. */
const PRELUDE_TYPE = 'application/vnd.awslambda.http-integration-response';
export const PRELUDE_END = Buffer.alloc(8);

/** The property by which Lambda recognizes streaming handlers. */
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** The members that Lambda adds to a stream for the prelude. */
export type WithPrelude = {
  setContentType(type: string): void;
  /** Called before the first byte is written. The argument is a function that writes to the stream. */
  _onBeforeFirstWrite?: (write: (bytes: string | Uint8Array) => void) => void;
};

export type LambdaResponseStream = Writable & WithPrelude;

export type StreamingHandler<S extends WithPrelude = LambdaResponseStream> = (
  event: unknown,
  stream: S,
  context: object,
) => Promise<unknown>;

/** @typeParam S the type of the stream that the caller will pass to the handler */
export const isStreaming = <S extends WithPrelude = LambdaResponseStream>(
  handler: object,
): handler is StreamingHandler<S> => STREAMING in handler;

/** Marks a handler as streaming, as `awslambda.streamifyResponse` does. */
export const markStreaming = <H extends object>(handler: H): H => Object.assign(handler, { [STREAMING]: 'response' });

/** Sets the global `awslambda` of Lambda's Node runtime. Call it before loading streaming functions. */
export function installLambdaGlobals(): void {
  const awslambda = {
    streamifyResponse: markStreaming,
    HttpResponseStream: {
      from: (stream: WithPrelude, prelude: unknown) => {
        stream.setContentType(PRELUDE_TYPE);
        stream._onBeforeFirstWrite = (write) => {
          write(JSON.stringify(prelude));
          write(PRELUDE_END);
        };
        return stream;
      },
    },
  };
  Object.assign(globalThis, { awslambda });
}
