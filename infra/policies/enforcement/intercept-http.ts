import { Agent, type ClientRequest, IncomingMessage, request as sendRequest } from 'node:http';
import { Duplex, Readable } from 'node:stream';
import type { RequestDecision } from '../evaluate-request.ts';
import { type AwsRequest, parseSignature } from '../requests/aws-request.ts';
import { needsBody } from '../requests/required-permissions.ts';
import type { AccessDeniedResponse } from './access-denied-response.ts';
import { allowConnections } from './block-raw-sockets.ts';
import type { EvaluationHooks } from './hooks.ts';
import { runOutsideFunction } from './running-function.ts';

/** Methods that Node's HTTP clients call but Node's types don't declare. */
declare module 'http' {
  interface Agent {
    addRequest(request: ClientRequest, options: { host?: string; port?: number }, ...rest: unknown[]): void;
  }
  interface ClientRequest {
    onSocket(socket: Duplex): void;
  }
}

/**
 * Evaluates the signed requests that functions send with Node's HTTP and HTTPS clients. Such a request gets a
 * connection only if it is allowed. If the evaluation needs the body, it starts when the body is complete. Unsigned
 * requests and requests of other code are not evaluated.
 */
export function interceptHttp(hooks: EvaluationHooks): void {
  const addRequest = Agent.prototype.addRequest;
  Agent.prototype.addRequest = function (this: Agent, request, options, ...rest) {
    const send = () => allowConnections(() => addRequest.call(this, request, options, ...rest));
    const id = hooks.runningFunction();
    const head = id === undefined ? undefined : toRequestHead(request, options.host ?? '');
    if (id === undefined || head === undefined) return send();
    const evaluate = (body: string) =>
      evaluateHeld(hooks, { id, request, aws: { ...head, body }, send, port: options.port });
    if (needsBody(head)) whenBodyWritten(request, evaluate);
    else evaluate('');
  };
}

/** Returns undefined for a request without an AWS signature. No policy covers such a request. */
function toRequestHead(request: ClientRequest, host: string): Omit<AwsRequest, 'body'> | undefined {
  const signature = parseSignature(String(request.getHeader('authorization') ?? ''), request.path);
  if (signature === undefined) return undefined;
  const headers = Object.entries(request.getHeaders()).map(([name, value]) => [name, String(value)]);
  return { ...signature, method: request.method, host, target: request.path, headers: Object.fromEntries(headers) };
}

type HeldRequest = { id: string; request: ClientRequest; aws: AwsRequest; send(): void; port: number | undefined };

function evaluateHeld(hooks: EvaluationHooks, held: HeldRequest): void {
  const { id, request, aws } = held;
  const apply = (decision: RequestDecision) => {
    if (!decision.isAllowed) return respond(request, hooks.deny(aws, decision.message));
    if (decision.hidesMissing !== undefined) replaceNotFound(hooks, held, decision.hidesMissing);
    held.send();
  };
  const decision = hooks.evaluate(id, aws, (arn) => readTags(held, arn));
  if (decision instanceof Promise) void decision.then(apply, (error: Error) => request.destroy(error));
  else apply(decision);
}

/** Calls `done` with the whole body. Node buffers the body until the request has a connection. */
function whenBodyWritten(request: ClientRequest, done: (body: string) => void): void {
  const chunks: Buffer[] = [];
  const collect = (chunk: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const { write, end } = request;
  request.write = (...args: unknown[]) => {
    collect(args[0]);
    return Reflect.apply(write, request, args);
  };
  request.end = (...args: unknown[]) => {
    collect(args[0]);
    // Restore the original methods first. The original `end` may call `write`, and would collect the chunk twice.
    Object.assign(request, { write, end });
    const ended = Reflect.apply(end, request, args);
    done(Buffer.concat(chunks).toString());
    return ended;
  };
}

const respond = (request: ClientRequest, response: AccessDeniedResponse): void =>
  request.onSocket(createResponseSocket(response));

/** Creates a connection on which the client receives the given response. No server is connected. */
function createResponseSocket({ status, headers, body }: AccessDeniedResponse): Duplex {
  const fields = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const socket = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => done(),
  });
  // HTTP clients call these methods on every connection, but a Duplex does not have them.
  const chain = () => socket;
  Object.assign(socket, { setTimeout: chain, setKeepAlive: chain, setNoDelay: chain, ref: chain, unref: chain });
  setImmediate(() => {
    socket.push([`HTTP/1.1 ${status} Access Denied`, ...lines, '', body].join('\r\n'));
    socket.push(null);
  });
  return socket;
}

/**
 * Handles a 404 of the S3 stand-in. If the function may not list the bucket, S3 would respond 403, so the function gets
 * a 403, too. If the function may list the bucket, records that the function used this permission.
 */
function replaceNotFound(hooks: EvaluationHooks, { id, request, aws }: HeldRequest, hidesMissing: boolean): void {
  const emit = request.emit.bind(request);
  request.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    const [response] = args;
    if (event !== 'response' || !isNotFound(response)) return emit(event, ...args);
    if (!hidesMissing) {
      hooks.recordMissingObject(id, aws);
      return emit(event, response);
    }
    response.resume();
    const { status, headers, body } = hooks.deny(
      aws,
      `The function ${id} requests a missing object and may not list the bucket, so S3 would respond 403: ${aws.target}`,
    );
    return emit(
      event,
      Object.assign(Readable.from([body]), { statusCode: status, statusMessage: '', headers, socket: response.socket }),
    );
  };
}

const isNotFound = (response: unknown): response is IncomingMessage =>
  response instanceof IncomingMessage && response.statusCode === 404;

/**
 * Reads the tags of a resource. Uses the server and the signature of the request. The function's policy is not applied
 * to this read.
 */
const readTags = ({ request, port, aws }: HeldRequest, arn: string): Promise<Readonly<Record<string, string>>> =>
  runOutsideFunction(
    () =>
      new Promise((resolve, reject) => {
        const path = `/2020-05-31/tagging?Resource=${encodeURIComponent(arn)}`;
        const headers = { authorization: aws.headers.authorization };
        const tagsRequest = sendRequest({ host: request.host, port, path, headers }, (response) => {
          response.toArray().then((chunks) => resolve(parseTags(Buffer.concat(chunks).toString())), reject);
        });
        tagsRequest.on('error', reject).end();
      }),
  );

/** Parses the response of CloudFront's ListTagsForResource. */
function parseTags(xml: string): Record<string, string> {
  const tags = [...xml.matchAll(/<Tag>\s*<Key>([^<]*)<\/Key>\s*<Value>([^<]*)<\/Value>\s*<\/Tag>/g)];
  return Object.fromEntries(tags.map(([, key = '', value = '']) => [key, value]));
}
