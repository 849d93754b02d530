import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { tryParseJson } from '../../common/parse-json.ts';
import { GATEWAY_RESPONSES, type GatewayResponse } from '../../stacks/api/gateway-responses.ts';
import type { ReportError } from '../common/output.ts';
import { type LambdaResponseStream, PRELUDE_END } from '../lambda/globals.ts';
import { isStatus, toNodeHeaders } from './buffered-response.ts';

const PRELUDE_BYTES_MAX = 64 * 1024;

/**
 * Runs a streaming function. If the function fails or times out before the headers are sent, returns a gateway
 * response, which the caller must send. A later failure or timeout closes the connection, as in a deployment.
 */
export async function sendStreamedResponse(
  response: ServerResponse,
  run: (stream: LambdaResponseStream) => Promise<unknown>,
  { functionId, timeoutSeconds, reportError }: { functionId: string; timeoutSeconds: number; reportError: ReportError },
): Promise<GatewayResponse | undefined> {
  const stream = createResponseStream(response);
  const onTimeout = () => stream.destroy(new Error(`The function did not finish within ${timeoutSeconds} s.`));
  const timer = setTimeout(onTimeout, timeoutSeconds * 1000);
  try {
    const completed = run(stream).then(() => waitUntilFinished(stream.writableEnded ? stream : stream.end()));
    await Promise.race([waitUntilFinished(stream), completed]);
    return undefined;
  } catch (error) {
    if (response.destroyed) return undefined;
    reportError(`The function ${functionId} failed while streaming`, error);
    if (!response.headersSent) return GATEWAY_RESPONSES.integrationFailed;
    response.destroy();
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

const waitUntilFinished = (stream: LambdaResponseStream) => finished(stream, { readable: false });

/**
 * Creates the stream to which a function writes a prelude (status and headers as JSON), eight NUL bytes, and the body.
 * Each chunk of the body is sent immediately. When the client disconnects, the stream is destroyed, so that the
 * function can stop.
 */
function createResponseStream(response: ServerResponse): LambdaResponseStream {
  let prelude: Buffer | undefined = Buffer.alloc(0);
  const passOn = (bytes: Buffer, done: () => void) => {
    if (bytes.length === 0 || response.write(bytes)) done();
    else response.once('drain', done);
  };
  const accept = (chunk: Buffer, done: (error?: Error) => void) => {
    if (prelude === undefined) return passOn(chunk, done);
    prelude = Buffer.concat([prelude, chunk]);
    const end = prelude.indexOf(PRELUDE_END);
    if (end < 0) {
      const isTooLong = prelude.length > PRELUDE_BYTES_MAX;
      return done(isTooLong ? new Error(`Status and headers have more than ${PRELUDE_BYTES_MAX} bytes.`) : undefined);
    }
    const body = prelude.subarray(end + PRELUDE_END.length);
    const failure = sendHead(response, prelude.subarray(0, end).toString());
    prelude = undefined;
    if (failure !== undefined) return done(failure);
    passOn(body, done);
  };
  const stream: LambdaResponseStream = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => accept(prependPrelude(stream, chunk), done),
      final: (done) => {
        if (prelude === undefined) return finish(response, done);
        accept(prependPrelude(stream, Buffer.alloc(0)), (error) => (error ? done(error) : finish(response, done)));
      },
    }),
    { setContentType: () => undefined },
  );
  response.once('close', () => {
    if (!response.writableFinished) stream.destroy(new Error('The client disconnected.'));
  });
  // Without this listener, an error of the stream would end the process if the function does not handle the error.
  stream.on('error', () => undefined);
  return stream;
}

/**
 * Adds the prelude to the first chunk, and returns later chunks unchanged. The callback that writes the prelude comes
 * from `HttpResponseStream.from`.
 */
export function prependPrelude(stream: LambdaResponseStream, chunk: Buffer): Buffer {
  const beforeFirstWrite = stream._onBeforeFirstWrite;
  if (beforeFirstWrite === undefined) return chunk;
  delete stream._onBeforeFirstWrite;
  const parts: Uint8Array[] = [];
  beforeFirstWrite((bytes) => parts.push(Buffer.from(bytes)));
  return Buffer.concat([...parts, chunk]);
}

/**
 * Sends status and headers immediately, so that the client sees them before the first byte of the body. Returns an
 * error for an invalid prelude.
 */
function sendHead(response: ServerResponse, prelude: string): Error | undefined {
  const parsed = tryParseJson(prelude);
  if (typeof parsed !== 'object' || parsed === null)
    return new Error('Status and headers of the response are not a JSON object.');
  const { statusCode = 200, headers, multiValueHeaders } = parsed as Record<string, unknown>;
  if (!isStatus(statusCode))
    return new Error(`The response must have a status code from 200 to 599, not ${JSON.stringify(statusCode)}.`);
  try {
    response.writeHead(statusCode, toNodeHeaders({ ...(headers as object), ...(multiValueHeaders as object) }));
    response.flushHeaders();
    return undefined;
  } catch (cause) {
    return new Error('The response has invalid headers.', { cause });
  }
}

function finish(response: ServerResponse, done: (error?: Error) => void): void {
  if (response.headersSent) response.end(() => done());
  else done(new Error('The function ended its response before it sent a status and headers.'));
}
