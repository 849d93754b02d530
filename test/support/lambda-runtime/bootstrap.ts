import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { installLambdaGlobals, isStreaming, type WithPrelude } from '../../../infra/local/lambda/globals.ts';
import type { BareMessage, Invocation, Outcome } from './bare-messages.ts';
import { watchConnections } from './connection-watcher.ts';

/*
 * Runs a function in its own process as Lambda does on Node 24, as far as functions can observe it. Events and outcomes
 * are messages from and to the parent process (bare-function.ts).
 */

type Handler = (event: unknown, context: object) => unknown;

const { LAMBDA_TASK_ROOT: taskRoot = '', _HANDLER: handlerName = '' } = process.env;
const report = (message: BareMessage): void => void process.send?.(message);
let phase: 'init' | 'invocation' = 'init';

const failureOf = (error: unknown) =>
  error instanceof Error
    ? { errorType: error.name, errorMessage: error.message }
    : { errorType: typeof error, errorMessage: String(error) };

async function load(): Promise<{ handler: Handler; initMs: number }> {
  const dot = handlerName.indexOf('.');
  const file = pathToFileURL(join(taskRoot, `${handlerName.slice(0, dot)}.mjs`)).href;
  const start = performance.now();
  const found: unknown = (await import(file))[handlerName.slice(dot + 1)];
  const initMs = performance.now() - start;
  if (typeof found !== 'function') throw new Error(`${handlerName} is undefined or not exported`);
  if (found.length >= 3 && !isStreaming(found)) throw new Error('Node 24 and later runtimes reject callbacks.');
  return { handler: found as Handler, initMs };
}

const contextOf = ({ requestId, functionArn, deadlineMs }: Invocation) => ({
  awsRequestId: requestId,
  invokedFunctionArn: functionArn,
  functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
  functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
  memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
  logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
  getRemainingTimeInMillis: () => deadlineMs - Date.now(),
});

async function invoke(handler: Handler, invocation: Invocation): Promise<Outcome> {
  const context = contextOf(invocation);
  if (isStreaming<ResponseStream>(handler)) {
    const response = openResponse();
    try {
      await handler(invocation.event, response.stream, context);
      if (!response.stream.writableEnded) throw new Error('Response stream is not finished.');
      return { kind: 'answered', bytes: response.bytes(), contentType: response.contentType(), streamed: true };
    } catch (error) {
      return { kind: 'failed', ...failureOf(error), afterBytes: response.bytes().length };
    }
  }
  try {
    const result = await handler(invocation.event, context);
    const bytes = Buffer.from(JSON.stringify(result === undefined ? null : result));
    return { kind: 'answered', bytes, contentType: 'application/json', streamed: false };
  } catch (error) {
    return { kind: 'failed', ...failureOf(error) };
  }
}

/** The complete interface of the stream that Lambda passes to a handler. The stream is not a `Writable`. */
const METHODS = [
  ...(['cork', 'destroy', 'end', 'uncork', 'write'] as const),
  ...(['addListener', 'on', 'once', 'prependListener', 'prependOnceListener'] as const),
  ...(['off', 'removeListener', 'removeAllListeners', 'setMaxListeners', 'getMaxListeners'] as const),
  ...(['listeners', 'rawListeners', 'listenerCount', 'eventNames', 'emit'] as const),
];
const STATES = [
  ...(['destroyed', 'writableFinished', 'writableObjectMode', 'writableNeedDrain'] as const),
  ...(['writableHighWaterMark', 'writableCorked', 'writableLength', 'writable'] as const),
];

type ResponseStream = WithPrelude & { readonly writableEnded: boolean };

function openResponse() {
  const chunks: Buffer[] = [];
  let contentType = 'application/octet-stream';
  let hasBegun = false;
  const inner = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  const write = inner.write.bind(inner);
  const stream: ResponseStream = {
    setContentType: (type) => {
      if (hasBegun) throw new Error('Cannot set content-type, too late.');
      contentType = type;
    },
    get writableEnded() {
      return inner.writableEnded;
    },
  };
  inner.write = (chunk: unknown, ...rest: unknown[]) => {
    if (!hasBegun) stream._onBeforeFirstWrite?.((bytes) => void write(bytes));
    hasBegun = true;
    const bytes = typeof chunk === 'string' || chunk instanceof Uint8Array ? chunk : JSON.stringify(chunk);
    return Reflect.apply(write, inner, [bytes, ...rest]);
  };
  for (const name of METHODS) Object.assign(stream, { [name]: Reflect.get(inner, name).bind(inner) });
  for (const name of STATES) Object.defineProperty(stream, name, { get: () => Reflect.get(inner, name) });
  return { stream, bytes: () => Buffer.concat(chunks), contentType: () => contentType };
}

watchConnections(
  (connection) => report({ what: 'connection', phase, ...connection }),
  JSON.parse(process.argv[2] ?? '{}'),
);
installLambdaGlobals();
try {
  const { handler, initMs } = await load();
  process.on('message', async (invocation: Invocation) => {
    phase = 'invocation';
    process.env._X_AMZN_TRACE_ID = 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1';
    report({ what: 'outcome', outcome: await invoke(handler, invocation) });
  });
  report({ what: 'ready', initMs });
} catch (error) {
  report({ what: 'init-failed', ...failureOf(error) });
  process.disconnect();
}
