import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { backgroundFunctions } from '../../../functions/operations.ts';
import type { ReportError } from '../common/output.ts';
import { type Invoke, startLambdaApi } from '../lambda/api.ts';
import { lambdaEnvironment } from '../runtime/environment.ts';

/** @property policies the file with the policies of functions */
export type WorkerSettings = { checkpointsFolder: string; policies: string };
export type WorkerCommand = 'stop' | { run: string; id: string; event: unknown };
export type WorkerMessage = 'started' | { what: string; error: string } | { ran: string; error?: string };

export type BackgroundWorker = {
  /** Where functions are asked to run later. */
  lambdaPort: number;
  /** Resolves when it has ended without being asked to. */
  crashed: Promise<void>;
  stop(): Promise<void>;
};

/**
 * Runs the background functions in a thread of their own, with this process's environment: deployed they have other
 * machines than the operations, so here what they compute must not delay an answer. Their log lines come to this
 * process's standard output. Lambda's stand-in is on this side: it takes an event at once, whatever the thread is at.
 */
export async function startBackgroundWorker(settings: WorkerSettings, report: ReportError): Promise<BackgroundWorker> {
  const invoked = backgroundFunctions.filter(({ trigger }) => 'invoked' in trigger);
  const lambda = await startLambdaApi({ functions: invoked, invoke: (...run) => runs.invoke(...run), report });
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: settings,
    stdout: true,
    env: { ...process.env, ...lambdaEnvironment(lambda.port) },
  });
  // Whole lines: where each goes depends on what it says.
  createInterface({ input: worker.stdout }).on('line', (line) => process.stdout.write(`${line}\n`));
  worker.on('error', (error) => report('The background functions have ended', error));
  const runs = trackInvocations(worker);
  // Not `once` of node:events: it rejects when the thread fails, and `exit` comes after that.
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const started = new Promise<void>((resolve) => {
    worker.on('message', (message: WorkerMessage) => {
      if (message === 'started') resolve();
      else if ('ran' in message) runs.ended(message);
      else report(message.what, message.error);
    });
  });
  const failed = ended.then(() => Promise.reject(new Error('The background functions ended at once.')));
  await Promise.race([started, failed]).catch(async (error: unknown) => {
    await lambda.stop();
    throw error;
  });
  failed.catch(() => undefined);
  let asked = false;
  return {
    lambdaPort: lambda.port,
    crashed: new Promise((resolve) => void ended.then(() => asked || resolve())),
    stop: async () => {
      asked = true;
      await lambda.stop();
      worker.postMessage('stop' satisfies WorkerCommand);
      await ended;
    },
  };
}

/** Runs of functions that others asked for, until the thread says that they have ended. */
function trackInvocations(worker: Worker) {
  const running = new Map<string, PromiseWithResolvers<void>>();
  worker.once('exit', () => {
    for (const run of running.values()) run.reject(new Error('The background functions have ended.'));
  });
  const invoke: Invoke = ({ id }, event, requestId) => {
    const run = Promise.withResolvers<void>();
    running.set(requestId, run);
    worker.postMessage({ run: requestId, id, event } satisfies WorkerCommand);
    return run.promise;
  };
  const ended = ({ ran, error }: Extract<WorkerMessage, { ran: string }>) => {
    if (error === undefined) running.get(ran)?.resolve();
    else running.get(ran)?.reject(new Error(error));
    running.delete(ran);
  };
  return { invoke, ended };
}
