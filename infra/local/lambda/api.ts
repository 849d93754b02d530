import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { BackgroundFunction } from '../../../shared/platform/background.ts';
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
  report: ReportError;
  pausesMs?: readonly number[];
};

export type LambdaApi = { port: number; stop(): Promise<void> };

const INVOCATIONS = /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/;
/** What Lambda takes asynchronously. */
const PAYLOAD_BYTES_MAX = 1_048_576;

/** The laptop's Lambda, as far as a function has others run later: it takes an event for a declared one, and runs it. */
export async function startLambdaApi({ functions, invoke, ...settings }: Settings): Promise<LambdaApi> {
  const named = new Map(functions.map((declared) => [functionName(declared.id), declared]));
  const queue = createAsyncInvokeQueue(settings);
  const server = createServer((request, response) => {
    answer(request).then(
      ([status, type]) => reply(response, status, type),
      () => response.destroy(),
    );
  });
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const [, name = ''] = INVOCATIONS.exec(request.url ?? '') ?? [];
    const declared = request.method === 'POST' ? named.get(name) : undefined;
    if (declared === undefined) return [404, 'ResourceNotFoundException'];
    const body = await readBody(request, PAYLOAD_BYTES_MAX);
    if (body === 'too-large') return [413, 'RequestTooLargeException'];
    const event = body === 'gone' ? undefined : tryParseJson(body.toString());
    if (event === undefined) return [400, 'InvalidRequestContentException'];
    // Nobody here waits for an answer of the function's.
    if (request.headers['x-amz-invocation-type'] !== 'Event') return [400, 'InvalidParameterValueException'];
    const requestId = randomUUID();
    const run = () => invoke(declared, event, requestId);
    return queue.add({ what: declared.id, run }) ? [202] : [429, 'TooManyRequestsException'];
  };
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

type Answer = [status: 202] | [status: number, type: string];

function reply(response: ServerResponse, status: number, type: string | undefined): void {
  const headers = type === undefined ? {} : { 'Content-Type': 'application/json', 'x-amzn-ErrorType': type };
  // What of the request was not read must not be taken for the next one.
  response.writeHead(status, status === 202 ? headers : { ...headers, Connection: 'close' });
  response.end(type === undefined ? undefined : JSON.stringify({ Type: 'User', Message: type }));
}
