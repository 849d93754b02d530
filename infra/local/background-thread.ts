import { Worker } from 'node:worker_threads';
import type { Report } from './report.ts';

export type BackgroundSettings = { positionsFolder: string };
export type BackgroundMessage = { lambdaPort: number } | { what: string; error: string };

export type BackgroundThread = {
  /** Where functions are asked to run later. */
  lambdaPort: number;
  /** Resolves when it has ended without being asked to. */
  died: Promise<void>;
  stop(): Promise<void>;
};

/**
 * Runs the background functions in a thread of their own, with this process's environment: deployed they have other
 * machines than the operations, so here what they compute must not delay an answer. Their log lines come to this
 * process's standard output.
 */
export async function startBackgroundThread(settings: BackgroundSettings, report: Report): Promise<BackgroundThread> {
  const worker = new Worker(new URL('./background-thread-main.ts', import.meta.url), {
    workerData: settings,
    stdout: true,
  });
  worker.stdout.setEncoding('utf8').on('data', (lines: string) => process.stdout.write(lines));
  worker.on('error', (error) => report('The background functions have ended', error));
  // Not `once` of node:events: it rejects when the thread fails, and `exit` comes after that.
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const started = new Promise<number>((resolve) => {
    worker.on('message', (message: BackgroundMessage) => {
      if ('lambdaPort' in message) resolve(message.lambdaPort);
      else report(message.what, message.error);
    });
  });
  const failed = ended.then(() => Promise.reject(new Error('The background functions ended at once.')));
  const lambdaPort = await Promise.race([started, failed]);
  failed.catch(() => undefined);
  let asked = false;
  return {
    lambdaPort,
    died: new Promise((resolve) => void ended.then(() => asked || resolve())),
    stop: async () => {
      asked = true;
      worker.postMessage('stop');
      await ended;
    },
  };
}
