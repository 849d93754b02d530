import { performance } from 'node:perf_hooks';
import { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';
import { installLambdaGlobals, type LambdaResponseStream, PRELUDE_END } from '../../infra/local/lambda/globals.ts';
import type { Operation } from '../../shared/http/operation.ts';
import type { ApiGatewayStreamHandler } from '../../shared/http/stream-endpoint.ts';
import { proxyEvent, type Request } from './http.ts';

installLambdaGlobals();

export type StreamedAnswer = {
  status: number;
  headers: Record<string, string>;
  /** The body that arrived before the stream ended. */
  text: string;
  /** The chunks of the body and the times of their arrival. */
  chunks: { text: string; at: number }[];
  /** The body parsed as JSON, if it is JSON. */
  body: unknown;
  /** The error that ended the stream; undefined if it ended normally. */
  broken: unknown;
};

type Options = {
  /** Called with each chunk of the body. `leave` closes the client's connection. */
  onChunk?: (text: string, leave: () => void) => void | Promise<void>;
  /** An abort disconnects the client, even before the first byte. */
  signal?: AbortSignal;
};

/** Calls a streaming handler as Lambda does and reads its response as a client does, chunk by chunk. */
export const streamCaller =
  (declared: Operation, handler: ApiGatewayStreamHandler) =>
  async (request: Request = {}, options: Options = {}): Promise<StreamedAnswer> => {
    const { stream, chunks } = lambdaStream(options);
    let broken: unknown;
    await handler(proxyEvent(declared, request), stream, {} as Context).catch((error: unknown) => {
      broken = error;
    });
    return { ...answerIn(chunks), broken };
  };

type Chunk = { bytes: Buffer; at: number };

const BUFFERED_BYTES = 16 * 1024;

function lambdaStream({ onChunk, signal }: Options) {
  const chunks: Chunk[] = [];
  let preludeOver = false;
  const leave = () => void stream.destroy(new Error('The client has left.'));
  const stream: LambdaResponseStream = Object.assign(
    new Writable({
      highWaterMark: BUFFERED_BYTES,
      write: (bytes: Buffer, _encoding, done) => {
        const begin = stream._onBeforeFirstWrite;
        delete stream._onBeforeFirstWrite;
        begin?.((prelude) => chunks.push({ bytes: Buffer.from(prelude), at: performance.now() }));
        if (bytes.length > 0) chunks.push({ bytes, at: performance.now() });
        const ofBody = preludeOver && bytes.length > 0;
        preludeOver = true;
        Promise.resolve(ofBody ? onChunk?.(bytes.toString(), leave) : undefined).then(() => done(), done);
      },
    }),
    { setContentType: () => undefined },
  );
  stream.on('error', () => undefined);
  signal?.addEventListener('abort', leave);
  return { stream, chunks };
}

function answerIn(chunks: readonly Chunk[]): Omit<StreamedAnswer, 'broken'> {
  const all = Buffer.concat(chunks.map(({ bytes }) => bytes));
  const end = all.indexOf(PRELUDE_END);
  if (end < 0) return { status: 0, headers: {}, text: '', chunks: [], body: undefined };
  const { statusCode, headers } = JSON.parse(all.toString('utf8', 0, end));
  const text = all.toString('utf8', end + PRELUDE_END.length);
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const json = String(Object.fromEntries(lower)['content-type']).startsWith('application/json');
  return {
    status: statusCode,
    headers: Object.fromEntries(lower),
    text,
    chunks: chunks.slice(2).map(({ bytes, at }) => ({ text: bytes.toString(), at })),
    body: json ? JSON.parse(text) : undefined,
  };
}
