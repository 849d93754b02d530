import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listenLocally } from '../../../infra/local/common/listen.ts';

/** The result of an invocation. */
export type Outcome =
  | { kind: 'answered'; bytes: Buffer; contentType: string; streamed: boolean }
  /** `afterBytes`: of a response that had begun. */
  | { kind: 'failed'; errorType: string; errorMessage: string; afterBytes?: number };

export type InitFailure = { errorType: string; errorMessage: string };

type Invocation = { id: string; event: unknown; deadlineMs: number; settle(outcome: Outcome): void };

/** 6 MB, and 100 bytes for Lambda's own wrapper. */
const ANSWER_BYTES_MAX = 6 * 1024 * 1024 + 100;

const INVOCATION = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/;

/**
 * The server side of the Runtime API: it provides invocations and receives their results.
 *
 * @param functionArn that invocations name
 */
export async function startRuntimeApi(functionArn: string) {
  const queue: Invocation[] = [];
  const running = new Map<string, Invocation>();
  const idle: ServerResponse[] = [];
  const init = Promise.withResolvers<'ready' | InitFailure>();
  const handOut = () => {
    const [response, invocation] = [idle[0], queue[0]];
    if (response === undefined || invocation === undefined) return;
    idle.shift();
    queue.shift();
    running.set(invocation.id, invocation);
    response.writeHead(200, headersOf(invocation, functionArn)).end(JSON.stringify(invocation.event));
  };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/2018-06-01/runtime/invocation/next') {
      init.resolve('ready');
      idle.push(response);
      return handOut();
    }
    const bytes = await bytesOf(request);
    response.writeHead(202).end('{"status":"OK"}');
    if (request.url === '/2018-06-01/runtime/init/error') return init.resolve(JSON.parse(bytes.toString()));
    const [, id = '', what] = INVOCATION.exec(request.url ?? '') ?? [];
    const invocation = running.get(id);
    if (invocation === undefined) throw new Error(`The Runtime API was asked for ${request.method} ${request.url}.`);
    running.delete(id);
    invocation.settle(
      what === 'error' ? { kind: 'failed', ...JSON.parse(bytes.toString()) } : answerIn(request, bytes),
    );
  };
  const server = createServer((request, response) => void take(request, response));
  const port = await listenLocally(server);
  return {
    address: `127.0.0.1:${port}`,
    /** Resolves when the function requests its first invocation, or reports an initialization error. */
    init: init.promise,
    invoke: (event: unknown, timeoutSeconds: number) =>
      new Promise<Outcome>((settle) => {
        queue.push({ id: randomUUID(), event, deadlineMs: Date.now() + timeoutSeconds * 1_000, settle });
        handOut();
      }),
    close: () => closed(server),
  };
}

const headersOf = ({ id, deadlineMs }: Invocation, functionArn: string) => ({
  'Content-Type': 'application/json',
  'Lambda-Runtime-Aws-Request-Id': id,
  'Lambda-Runtime-Deadline-Ms': String(deadlineMs),
  'Lambda-Runtime-Invoked-Function-Arn': functionArn,
  'Lambda-Runtime-Trace-Id': 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1',
});

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function answerIn({ headers, trailers }: IncomingMessage, bytes: Buffer): Outcome {
  const failure = trailers['lambda-runtime-function-error-body'];
  if (failure !== undefined) {
    return { kind: 'failed', ...JSON.parse(Buffer.from(failure, 'base64').toString()), afterBytes: bytes.length };
  }
  const streamed = headers['lambda-runtime-function-response-mode'] === 'streaming';
  if (!streamed && bytes.length > ANSWER_BYTES_MAX) {
    return { kind: 'failed', errorType: 'Function.ResponseSizeTooLarge', errorMessage: 'The answer is too large.' };
  }
  return { kind: 'answered', bytes, contentType: headers['content-type'] ?? '', streamed };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => void server.close(() => done()));
}
