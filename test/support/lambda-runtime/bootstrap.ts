import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installLambdaGlobals, isStreaming } from '../../../infra/local/lambda/globals.ts';
import { report, watchConnections } from './connection-watcher.ts';
import { openResponse, type ResponseStream } from './response-stream.ts';

/*
 * What Lambda runs around a function on Node 24, as far as functions can observe it: it loads the handler, requests
 * invocations one after another and sends their results. It implements the description of the Runtime API
 * (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, version 2018-06-01), that of streaming in
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html, and the behaviour that the runtime's own client
 * (https://github.com/aws/aws-lambda-nodejs-runtime-interface-client, which needs a compiler) shows to functions.
 */

type Handler = (event: unknown, context: object) => unknown;
type Failure = { errorType: string; errorMessage: string; trace: string[] };

const { AWS_LAMBDA_RUNTIME_API: api = '', LAMBDA_TASK_ROOT: taskRoot = '', _HANDLER: handlerName = '' } = process.env;
const [hostname = '', port = ''] = api.split(':');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let phase: 'init' | 'invocation' = 'init';

function send(method: 'GET' | 'POST', path: string, body?: string, headers: Record<string, string> = {}) {
  return new Promise<{ headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const options = { hostname, port: Number(port), agent, method, path: `/2018-06-01/runtime${path}`, headers };
    const sent = request(options, (answer: IncomingMessage) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.once('end', () => resolve({ headers: answer.headers, text }));
    });
    sent.once('error', reject).end(body);
  });
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
}

const post = (path: string, failure: Failure) =>
  send('POST', path, JSON.stringify(failure), { 'Lambda-Runtime-Function-Error-Type': failure.errorType });

async function load(): Promise<Handler> {
  const dot = handlerName.indexOf('.');
  const file = pathToFileURL(join(taskRoot, `${handlerName.slice(0, dot)}.mjs`)).href;
  const start = performance.now();
  const found: unknown = (await import(file))[handlerName.slice(dot + 1)];
  const initMs = performance.now() - start;
  if (typeof found !== 'function') throw new Error(`${handlerName} is undefined or not exported`);
  if (found.length >= 3 && !isStreaming(found)) throw new Error('Callbacks are refused by Node 24 and later runtimes.');
  report({ what: 'ready', initMs });
  return found as Handler;
}

function contextOf(headers: IncomingHttpHeaders) {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    awsRequestId: String(headers['lambda-runtime-aws-request-id']),
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

async function answer(handler: Handler, event: unknown, context: ReturnType<typeof contextOf>): Promise<void> {
  const path = `/invocation/${context.awsRequestId}`;
  if (isStreaming<ResponseStream>(handler)) {
    const options = { hostname, port: Number(port), agent, path: `/2018-06-01/runtime${path}/response` };
    const { stream, taken, fail } = openResponse(options);
    try {
      await handler(event, stream, context);
      if (!stream.writableEnded) throw new Error('Response stream is not finished.');
    } catch (error) {
      fail(failureOf(error).errorType, failureOf(error));
    }
    await taken;
    return;
  }
  try {
    const result = await handler(event, context);
    await send('POST', `${path}/response`, JSON.stringify(result === undefined ? null : result));
  } catch (error) {
    await post(`${path}/error`, failureOf(error));
  }
}

watchConnections({ phase: () => phase, runtimeApi: api, elsewhere: JSON.parse(process.argv[2] ?? '{}') });
installLambdaGlobals();
try {
  const handler = await load();
  for (;;) {
    const { headers, text } = await send('GET', '/invocation/next');
    phase = 'invocation';
    process.env._X_AMZN_TRACE_ID = String(headers['lambda-runtime-trace-id']);
    await answer(handler, JSON.parse(text), contextOf(headers));
  }
} catch (error) {
  await post('/init/error', failureOf(error));
  process.exit(1);
}
