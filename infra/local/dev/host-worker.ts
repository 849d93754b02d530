import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { runAsFunction } from '../../policies/enforcement/running-function.ts';
import { prependPrelude } from '../gateway/streamed-response.ts';
import { lambdaContext } from '../lambda/context.ts';
import { enforceLocalPolicies } from '../lambda/enforce-policies.ts';
import {
  installLambdaGlobals,
  isStreaming,
  type LambdaResponseStream,
  type StreamingHandler,
} from '../lambda/globals.ts';
import type { Handler } from '../lambda/load-functions.ts';
import type { Declarations } from './declarations.ts';
import {
  DECLARATIONS,
  type HostCommand,
  type HostMessage,
  type HostSettings,
  type Invocation,
} from './host-messages.ts';

// The worker thread of a function host: loads bundles and runs their handlers.

/** A handler that returns its whole response. */
type Buffered = (event: unknown, context: unknown) => Promise<unknown>;

const { policies } = workerData as HostSettings;
const send = (message: HostMessage) => parentPort?.postMessage(message);
const reportError = (what: string, error: unknown) => send({ kind: 'report', what, error: inspect(error) });

process.setSourceMapsEnabled(true);
// In Lambda, an unhandled error ends only one invocation. Here, it must not end the other functions of the thread.
process.on('uncaughtException', (error) => reportError('Unhandled error outside of any request or invocation', error));
process.on('unhandledRejection', (error) => reportError('Unhandled error outside of any request or invocation', error));
enforceLocalPolicies(policies, reportError);
installLambdaGlobals();

let urls: Readonly<Record<string, string>> = {};
const handlers = new Map<string, Promise<Handler>>();
const streams = new Map<number, { stream: LambdaResponseStream; chunkSent: () => void }>();

parentPort?.on('message', (command: HostCommand) => {
  if (command.kind === 'open') void open(command);
  else if (command.kind === 'describe') void describe();
  else if (command.kind === 'invoke') void invoke(command.call, command.invocation);
  else if (command.kind === 'chunkSent') streams.get(command.call)?.chunkSent();
  else streams.get(command.call)?.stream.destroy(new Error('The client disconnected.'));
});

async function open(command: Extract<HostCommand, { kind: 'open' }>): Promise<void> {
  urls = command.urls;
  try {
    await Promise.all(command.load.map((id) => (id === DECLARATIONS ? importBundle(id) : handlerOf(id))));
    send({ kind: 'opened' });
  } catch (error) {
    send({ kind: 'opened', error: inspect(error) });
  }
}

const importBundle = (id: string) => {
  const url = urls[id];
  if (url === undefined)
    throw new Error(`The function ${id} has no bundle, because its build failed. Fix the build error.`);
  return import(url);
};

function handlerOf(id: string): Promise<Handler> {
  const loaded = handlers.get(id) ?? loadHandler(id);
  handlers.set(id, loaded);
  return loaded;
}

async function loadHandler(id: string): Promise<Handler> {
  const { handler }: { handler?: unknown } = await importBundle(id);
  if (typeof handler !== 'function') throw new Error(`functions/${id}/handler.ts exports no handler. Export it.`);
  return runAsFunction(id, handler as Handler);
}

async function describe(): Promise<void> {
  try {
    const { readDeclarations }: { readDeclarations(): Declarations } = await importBundle(DECLARATIONS);
    send({ kind: 'described', declarations: readDeclarations() });
  } catch (error) {
    send({ kind: 'notDescribed', error: inspect(error) });
  }
}

async function invoke(call: number, { settings, event, requestId }: Invocation): Promise<void> {
  try {
    const handler: object = await handlerOf(settings.id);
    const context = lambdaContext(settings, requestId);
    const result = isStreaming(handler)
      ? await stream(call, handler, event, context)
      : await (handler as Buffered)(event, context);
    send({ kind: 'result', call, result });
  } catch (error) {
    send({ kind: 'error', call, error: inspect(error) });
  }
}

/** Runs a streaming handler. Its stream sends one chunk at a time to the main thread. */
async function stream(call: number, handler: StreamingHandler, event: unknown, context: object): Promise<void> {
  const sendChunk = (bytes: Buffer, done: () => void) => {
    if (bytes.length === 0) return done();
    streams.set(call, { stream: output, chunkSent: done });
    send({ kind: 'chunk', call, bytes: new Uint8Array(bytes) });
  };
  const output: LambdaResponseStream = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => sendChunk(prependPrelude(output, chunk), done),
      final: (done) =>
        sendChunk(prependPrelude(output, Buffer.alloc(0)), () => {
          send({ kind: 'ended', call });
          done();
        }),
    }),
    { setContentType: () => undefined },
  );
  output.on('error', () => undefined);
  streams.set(call, { stream: output, chunkSent: () => undefined });
  try {
    await handler(event, output, context);
    await finished(output.writableEnded ? output : output.end(), { readable: false });
  } finally {
    streams.delete(call);
  }
}
