import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { ReportError } from '../common/output.ts';
import type { LambdaResponseStream } from '../lambda/globals.ts';
import { withTimeout } from '../lambda/timeout.ts';
import type { Declarations } from './declarations.ts';
import type { HostCommand, HostMessage, HostSettings, Invocation } from './host-messages.ts';

export type FunctionHost = {
  /**
   * Loads the bundles with the ids in `load`. The host loads the other bundles of `urls` when it needs them.
   *
   * @throws Error if a bundle cannot be loaded, or is not loaded in time
   */
  open(urls: Readonly<Record<string, string>>, load: readonly string[]): Promise<void>;
  describe(): Promise<Declarations>;
  /** @param stream receives the response of a streaming function. @throws the function's error */
  invoke(invocation: Invocation, stream?: LambdaResponseStream): Promise<unknown>;
  /** Ends the thread as soon as its invocations have finished, at the latest after the longest of their timeouts. */
  retire(): void;
  /** Resolves when the thread has ended. */
  ended: Promise<void>;
};

/** If code takes longer to load, its top level probably has a loop or an `await` that never ends. */
const OPEN_TIMEOUT_SECONDS = 20;
/** Time for the log lines of the last invocation to arrive. */
const LAST_LOG_LINES_MS = 500;

type Call = {
  invocation: Invocation;
  stream: LambdaResponseStream | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
};

/**
 * Starts a worker thread that loads and runs functions. Functions need their own thread for two reasons: Node frees the
 * modules of old code only when their thread ends, and code that never returns must not stop the gateway.
 */
export function startFunctionHost(settings: HostSettings, reportError: ReportError): FunctionHost {
  const worker = new Worker(new URL('./host-worker.ts', import.meta.url), { workerData: settings, stdout: true });
  // Write whole lines, because the content of a line decides whether the line goes to functions.log or metrics.log.
  createInterface({ input: worker.stdout }).on('line', (line) => process.stdout.write(`${line}\n`));
  const calls = new Map<number, Call>();
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const send = (command: HostCommand) => worker.postMessage(command);
  let opening: PromiseWithResolvers<void> | undefined;
  let describing: PromiseWithResolvers<Declarations> | undefined;
  let callCount = 0;
  let isRetired = false;

  const terminateAfter = (milliseconds: number) => setTimeout(() => void worker.terminate(), milliseconds).unref();
  const settle = (call: number) => {
    const settled = calls.get(call);
    calls.delete(call);
    if (isRetired && calls.size === 0) terminateAfter(LAST_LOG_LINES_MS);
    return settled;
  };
  worker.on('message', (message: HostMessage) => {
    if (message.kind === 'opened') {
      if (message.error === undefined) opening?.resolve();
      else opening?.reject(new Error(message.error));
    } else if (message.kind === 'described') describing?.resolve(message.declarations);
    else if (message.kind === 'notDescribed') describing?.reject(new Error(message.error));
    else if (message.kind === 'report') reportError(message.what, message.error);
    else if (message.kind === 'result') settle(message.call)?.resolve(message.result);
    else if (message.kind === 'error') settle(message.call)?.reject(new Error(message.error));
    else if (message.kind === 'ended') calls.get(message.call)?.stream?.end();
    else {
      const { call, bytes } = message;
      calls.get(call)?.stream?.write(bytes, () => send({ kind: 'chunkSent', call }));
    }
  });
  worker.on('error', (error) => reportError('The thread of the functions has failed', error));
  void ended.then(() => {
    const failure = new Error('The thread of the functions ended before the work finished.');
    opening?.reject(failure);
    describing?.reject(failure);
    for (const { reject } of calls.values()) reject(failure);
  });
  return {
    open: (urls, load) => {
      opening = Promise.withResolvers();
      send({ kind: 'open', urls, load });
      return withTimeout(opening.promise, OPEN_TIMEOUT_SECONDS);
    },
    describe: () => {
      describing = Promise.withResolvers();
      send({ kind: 'describe' });
      return describing.promise;
    },
    invoke: (invocation, stream) => {
      callCount += 1;
      const call = callCount;
      stream?.once('close', () => send({ kind: 'disconnected', call }));
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      calls.set(call, { invocation, stream, resolve, reject });
      send({ kind: 'invoke', call, invocation });
      return promise;
    },
    retire: () => {
      isRetired = true;
      const timeouts = [...calls.values()].map(({ invocation }) => invocation.settings.limits.timeoutSeconds);
      terminateAfter(LAST_LOG_LINES_MS + Math.max(0, ...timeouts) * 1000);
    },
    ended,
  };
}
