import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { BackgroundFunction } from '../../../functions/declare-background-function.ts';
import { tryParseJson } from '../../common/parse-json.ts';
import { listenLocally } from '../common/listen.ts';
import type { ReportError } from '../common/output.ts';
import { readBody } from '../gateway/read-body.ts';
import { createAsyncInvokeQueue } from './async-invoke-queue.ts';
import { functionName } from './context.ts';

export type Invoke = (declared: BackgroundFunction, event: unknown, requestId: string) => Promise<unknown>;

type Settings = {
  functions: readonly BackgroundFunction[];
  invoke: Invoke;
  reportError: ReportError;
  retryDelaysMs?: readonly number[];
};

export type LambdaApi = { port: number; stop(): Promise<void> };

const INVOCATIONS_PATH = /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/;
/** Lambda's payload limit for asynchronous invocations. */
const PAYLOAD_BYTES_MAX = 1_048_576;

type InvokeResult = [status: 202] | [status: number, errorType: string];

/** The stand-in for Lambda's API: accepts asynchronous invocations of the declared functions and queues them. */
export async function startLambdaApi({ functions, invoke, ...settings }: Settings): Promise<LambdaApi> {
  const byName = new Map(functions.map((declared) => [functionName(declared.id), declared]));
  const queue = createAsyncInvokeQueue(settings);
  const handle = async (request: IncomingMessage): Promise<InvokeResult> => {
    const [, name = ''] = INVOCATIONS_PATH.exec(request.url ?? '') ?? [];
    const declared = request.method === 'POST' ? byName.get(name) : undefined;
    if (declared === undefined) return [404, 'ResourceNotFoundException'];
    const body = await readBody(request, PAYLOAD_BYTES_MAX);
    if (body === 'too-large') return [413, 'RequestTooLargeException'];
    const event = body === 'aborted' ? undefined : tryParseJson(body.toString());
    if (event === undefined) return [400, 'InvalidRequestContentException'];
    // Only asynchronous invocations are supported. The one function that invokes synchronously is `run-dispatcher`,
    // which `npm start` does not run.
    if (request.headers['x-amz-invocation-type'] !== 'Event') return [400, 'InvalidParameterValueException'];
    const requestId = randomUUID();
    const run = () => invoke(declared, event, requestId);
    return queue.add({ functionId: declared.id, run }) ? [202] : [429, 'TooManyRequestsException'];
  };
  const server = createServer((request, response) => {
    handle(request).then(
      ([status, errorType]) => respond(response, status, errorType),
      () => response.destroy(),
    );
  });
  const port = await listenLocally(server);
  return {
    port,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await queue.stop();
    },
  };
}

function respond(response: ServerResponse, status: number, errorType: string | undefined): void {
  if (errorType === undefined) {
    response.writeHead(status).end();
    return;
  }
  // Close the connection, because the unread rest of the request must not be parsed as the next request.
  const headers = { 'Content-Type': 'application/json', 'x-amzn-ErrorType': errorType, Connection: 'close' };
  response.writeHead(status, headers).end(JSON.stringify({ Type: 'User', Message: errorType }));
}
