import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { backgroundFunctions } from '../../../functions/declarations.ts';
import type { ReportError } from '../common/output.ts';
import { type Invoke, startLambdaApi } from '../lambda/api.ts';
import { lambdaEnvironment } from '../runtime/environment.ts';

/** @property policies path of the policy file */
export type WorkerSettings = { checkpointsFolder: string; policies: string };
export type WorkerCommand = 'stop' | { requestId: string; functionId: string; event: unknown };
export type WorkerMessage = 'started' | { what: string; error: string } | { finished: string; error?: string };

export type BackgroundPart = {
  /** Port of the Lambda stand-in, which accepts asynchronous invocations. */
  lambdaPort: number;
  /** Resolves if the worker exits before `stop` is called. */
  crashed: Promise<void>;
  stop(): Promise<void>;
};

/**
 * Runs the background functions in a worker thread with this process's environment. The log lines of the functions go
 * to this process's standard output. The Lambda stand-in runs in the calling thread, so that it accepts invocations
 * while the worker is busy.
 *
 * @throws Error if the worker stops before it has started the functions
 */
export async function startBackgroundWorker(
  settings: WorkerSettings,
  reportError: ReportError,
): Promise<BackgroundPart> {
  const functions = backgroundFunctions.filter(({ trigger }) => 'invoked' in trigger);
  const lambda = await startLambdaApi({ functions, invoke: (...args) => invocations.invoke(...args), reportError });
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: settings,
    stdout: true,
    env: { ...process.env, ...lambdaEnvironment(lambda.port) },
  });
  // Write whole lines, because the content of a line decides whether the line goes to functions.log or metrics.log.
  createInterface({ input: worker.stdout }).on('line', (line) => process.stdout.write(`${line}\n`));
  worker.on('error', (error) => reportError('The background functions have stopped', error));
  const invocations = trackInvocations(worker);
  // Does not use `once` of node:events. If the worker emits `error` before `exit`, that promise would reject.
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const started = new Promise<void>((resolve) => {
    worker.on('message', (message: WorkerMessage) => {
      if (message === 'started') resolve();
      else if ('finished' in message) invocations.finish(message);
      else reportError(message.what, message.error);
    });
  });
  const failed = exited.then(() =>
    Promise.reject(
      new Error(
        'The worker of the background functions exited before it was ready. See functions.log in the state folder.',
      ),
    ),
  );
  await Promise.race([started, failed]).catch(async (error: unknown) => {
    await lambda.stop();
    throw error;
  });
  failed.catch(() => undefined);
  let isStopping = false;
  return {
    lambdaPort: lambda.port,
    crashed: new Promise((resolve) => void exited.then(() => isStopping || resolve())),
    stop: async () => {
      isStopping = true;
      await lambda.stop();
      worker.postMessage('stop' satisfies WorkerCommand);
      await exited;
    },
  };
}

/**
 * Sends invocations to the worker. When the worker reports that an invocation has finished or failed, the promise of
 * the invocation settles. If the worker exits first, the promise rejects.
 */
function trackInvocations(worker: Worker) {
  const running = new Map<string, PromiseWithResolvers<void>>();
  worker.once('exit', () => {
    for (const [requestId, { reject }] of running)
      reject(new Error(`The worker of the background functions exited before invocation ${requestId} finished.`));
  });
  const invoke: Invoke = ({ id }, event, requestId) => {
    const invocation = Promise.withResolvers<void>();
    running.set(requestId, invocation);
    worker.postMessage({ requestId, functionId: id, event } satisfies WorkerCommand);
    return invocation.promise;
  };
  const finish = ({ finished, error }: Extract<WorkerMessage, { finished: string }>) => {
    if (error === undefined) running.get(finished)?.resolve();
    else running.get(finished)?.reject(new Error(error));
    running.delete(finished);
  };
  return { invoke, finish };
}
