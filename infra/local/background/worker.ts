import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { backgroundFunctions } from '../../../functions/operations.ts';
import { enforceLocalPolicies } from '../lambda/enforce-policies.ts';
import { loadFunctions } from '../lambda/load-functions.ts';
import { startBackgroundFunctions } from './run-background.ts';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from './worker-client.ts';

// The thread of the functions that no caller waits for: what they compute does not delay an answer.

const { checkpointsFolder: positionsFolder, policies } = workerData as WorkerSettings;
const tell = (message: WorkerMessage) => parentPort?.postMessage(message);
const report = (what: string, error: unknown) => tell({ what, error: inspect(error) });

enforceLocalPolicies(policies, report);
const functionOf = await loadFunctions(backgroundFunctions.map(({ id }) => id));
const background = await startBackgroundFunctions({
  functions: backgroundFunctions,
  functionOf,
  positionsFolder,
  report,
});
// Only now: what fails before must end the thread, or whoever started it would wait for ever.
// From here on, as in the main thread, whatever a function leaves behind must not end the others.
process.on('uncaughtException', (error) => report('Something failed outside of any request', error));
process.on('unhandledRejection', (error) => report('Something failed outside of any request', error));

parentPort?.on('message', (order: WorkerCommand) => {
  if (order === 'stop') void background.stop().finally(() => parentPort?.close());
  else void run(order);
});
tell('started');

async function run({ run: requestId, id, event }: Exclude<WorkerCommand, 'stop'>): Promise<void> {
  try {
    await background.invoke(id, event, requestId);
    tell({ ran: requestId });
  } catch (error) {
    tell({ ran: requestId, error: inspect(error) });
  }
}
