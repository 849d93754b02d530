import { Agent, type ClientRequest, IncomingMessage, request as send } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import type { RequestDecision } from '../evaluate-request.ts';
import { type AwsRequest, parseSignature } from '../requests/aws-request.ts';
import { readsBody } from '../requests/required-permissions.ts';
import type { AccessDeniedResponse } from './access-denied-response.ts';
import { allowConnections } from './block-raw-sockets.ts';
import type { EvaluationHooks } from './hooks.ts';
import { createResponseSocket } from './response-socket.ts';
import { runOutsideFunction } from './running-function.ts';
import { tagsIn } from './tags.ts';

/** What all clients of Node call, and its types leave out. */
declare module 'http' {
  interface Agent {
    addRequest(request: ClientRequest, options: { host?: string; port?: number }, ...rest: unknown[]): void;
  }
  interface ClientRequest {
    onSocket(socket: Duplex): void;
  }
}

/**
 * Every request by Node's own clients, of HTTP and HTTPS, asks an agent for a connection: there it waits, unsent, until
 * its bytes are known as far as they matter.
 */
export function interceptHttp(guarded: EvaluationHooks): void {
  const connect = Agent.prototype.addRequest;
  Agent.prototype.addRequest = function (this: Agent, request, options, ...rest) {
    const go = () => allowConnections(() => connect.call(this, request, options, ...rest));
    const id = guarded.runningFunction();
    const head = id === undefined ? undefined : headOf(request, options.host ?? '');
    if (id === undefined || head === undefined) return go();
    const settle = (body: string) => decide(guarded, { id, request, aws: { ...head, body }, go, port: options.port });
    if (readsBody(head)) whenWritten(request, settle);
    else settle('');
  };
}

/** Undefined for what is not signed for AWS: no policy speaks of it. */
function headOf(request: ClientRequest, host: string): Omit<AwsRequest, 'body'> | undefined {
  const signed = parseSignature(String(request.getHeader('authorization') ?? ''), request.path);
  if (signed === undefined) return undefined;
  const headers = Object.entries(request.getHeaders()).map(([name, value]) => [name, String(value)]);
  return { ...signed, method: request.method, host, target: request.path, headers: Object.fromEntries(headers) };
}

type Waiting = { id: string; request: ClientRequest; aws: AwsRequest; go(): void; port: number | undefined };

function decide(guarded: EvaluationHooks, waiting: Waiting): void {
  const { id, request, aws } = waiting;
  const conclude = (verdict: RequestDecision) => {
    if (!verdict.allowed) return refuse(request, guarded.deny(aws, verdict.sentence));
    if (verdict.hidesMissing !== undefined) watchMissing(guarded, waiting, verdict.hidesMissing);
    waiting.go();
  };
  const verdict = guarded.evaluate(id, aws, (arn) => askForTags(waiting, arn));
  if (verdict instanceof Promise) void verdict.then(conclude, (error: Error) => request.destroy(error));
  else conclude(verdict);
}

/** Node keeps what is written until there is a connection: here it is only read along. */
function whenWritten(request: ClientRequest, settle: (body: string) => void): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const { write, end } = request;
  request.write = (...given: unknown[]) => {
    keep(given[0]);
    return Reflect.apply(write, request, given);
  };
  request.end = (...given: unknown[]) => {
    keep(given[0]);
    // It may call `write` itself.
    Object.assign(request, { write, end });
    const ended = Reflect.apply(end, request, given);
    settle(Buffer.concat(chunks).toString());
    return ended;
  };
}

const refuse = (request: ClientRequest, refusal: AccessDeniedResponse): void =>
  request.onSocket(createResponseSocket(refusal));

/** S3 answers 404 only to who may list the bucket; the stand-in does to everybody. */
function watchMissing(guarded: EvaluationHooks, { id, request, aws }: Waiting, hidesMissing: boolean): void {
  const emit = request.emit.bind(request);
  request.emit = (event: string | symbol, ...given: unknown[]): boolean => {
    const [answer] = given;
    if (event !== 'response' || !isMissing(answer)) return emit(event, ...given);
    if (!hidesMissing) {
      guarded.recordMissingObject(id, aws);
      return emit(event, answer);
    }
    answer.resume();
    const { status, headers, body } = guarded.deny(
      aws,
      `The function ${id} looks for an object that is missing, and may not hear so: ${aws.target}`,
    );
    return emit(
      event,
      Object.assign(Readable.from([body]), { statusCode: status, statusMessage: '', headers, socket: answer.socket }),
    );
  };
}

const isMissing = (answer: unknown): answer is IncomingMessage =>
  answer instanceof IncomingMessage && answer.statusCode === 404;

/** As nobody's function, from where the request goes, with its signature. */
const askForTags = ({ request, port, aws }: Waiting, arn: string): Promise<Readonly<Record<string, string>>> =>
  runOutsideFunction(
    () =>
      new Promise((resolve, reject) => {
        const path = `/2020-05-31/tagging?Resource=${encodeURIComponent(arn)}`;
        const headers = { authorization: aws.headers.authorization };
        const asking = send({ host: request.host, port, path, headers }, (answer) => {
          answer.toArray().then((chunks) => resolve(tagsIn(Buffer.concat(chunks).toString())), reject);
        });
        asking.on('error', reject).end();
      }),
  );
