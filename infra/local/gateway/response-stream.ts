import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { tryParseJson } from '../../common/parse-json.ts';
import { type LambdaResponseStream, PRELUDE_END } from '../lambda/globals.ts';
import { isStatus, toNodeHeaders } from './buffered-response.ts';

const PRELUDE_BYTES_MAX = 64 * 1024;

/**
 * The stream that a function writes its answer to: status and headers as JSON, eight NUL bytes, then the body, which
 * goes to the client as it comes. A client that leaves destroys it, so that the function's pipeline ends.
 */
export function createResponseStream(response: ServerResponse): LambdaResponseStream {
  let held: Buffer | undefined = Buffer.alloc(0);
  const passOn = (bytes: Buffer, done: () => void) => {
    if (bytes.length === 0 || response.write(bytes)) done();
    else response.once('drain', done);
  };
  const accept = (chunk: Buffer, done: (error?: Error) => void) => {
    if (held === undefined) return passOn(chunk, done);
    held = Buffer.concat([held, chunk]);
    const end = held.indexOf(PRELUDE_END);
    if (end < 0) return done(held.length > PRELUDE_BYTES_MAX ? new Error('The prelude never ends.') : undefined);
    const body = held.subarray(end + PRELUDE_END.length);
    const failure = begin(response, held.subarray(0, end).toString());
    held = undefined;
    if (failure !== undefined) return done(failure);
    passOn(body, done);
  };
  const stream: LambdaResponseStream = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => accept(withPrelude(stream, chunk), done),
      final: (done) => {
        if (held === undefined) return finish(response, done);
        accept(withPrelude(stream, Buffer.alloc(0)), (error) => (error ? done(error) : finish(response, done)));
      },
    }),
    { setContentType: () => undefined },
  );
  response.once('close', () => {
    if (!response.writableFinished) stream.destroy(new Error('The client has left.'));
  });
  // Whoever writes learns of it by its own listener or promise; a stream that nobody watches must not end the process.
  stream.on('error', () => undefined);
  return stream;
}

function withPrelude(stream: LambdaResponseStream, chunk: Buffer): Buffer {
  const beforeFirst = stream._onBeforeFirstWrite;
  if (beforeFirst === undefined) return chunk;
  delete stream._onBeforeFirstWrite;
  const parts: Uint8Array[] = [];
  beforeFirst((bytes) => parts.push(Buffer.from(bytes)));
  return Buffer.concat([...parts, chunk]);
}

/** Sends status and headers at once: the client sees them before the first byte of the body. */
function begin(response: ServerResponse, prelude: string): Error | undefined {
  const parsed = tryParseJson(prelude);
  if (typeof parsed !== 'object' || parsed === null) return new Error('The prelude is not a JSON object.');
  const { statusCode = 200, headers, multiValueHeaders } = parsed as Record<string, unknown>;
  if (!isStatus(statusCode)) return new Error('The prelude has no possible status.');
  try {
    response.writeHead(statusCode, toNodeHeaders({ ...(headers as object), ...(multiValueHeaders as object) }));
    response.flushHeaders();
    return undefined;
  } catch (cause) {
    return new Error('The prelude has impossible headers.', { cause });
  }
}

function finish(response: ServerResponse, done: (error?: Error) => void): void {
  if (response.headersSent) response.end(() => done());
  else done(new Error('The function ended its answer before the prelude.'));
}
