import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { backgroundFunctions } from '../../../functions/declarations.ts';
import { enforceLocalPolicies } from '../lambda/enforce-policies.ts';
import { loadFunctions } from '../lambda/load-functions.ts';
import { startBackgroundFunctions } from './run-background.ts';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from './worker-client.ts';

// The worker thread of the background functions. Their CPU time doesn't delay HTTP responses.

const { checkpointsFolder, policies } = workerData as WorkerSettings;
const send = (message: WorkerMessage) => parentPort?.postMessage(message);
const reportError = (what: string, error: unknown) => send({ what, error: inspect(error) });

enforceLocalPolicies(policies, reportError);
const getFunction = await loadFunctions(backgroundFunctions.map(({ id }) => id));
const background = await startBackgroundFunctions({
  functions: backgroundFunctions,
  getFunction,
  checkpointsFolder,
  reportError,
});
// Set these only now: a failure before this point must end the thread, or the main thread would wait forever. After it,
// an error that a function leaves behind must not end the other functions.
process.on('uncaughtException', (error) => reportError('Unexpected error outside of any request', error));
process.on('unhandledRejection', (error) => reportError('Unexpected error outside of any request', error));

parentPort?.on('message', (command: WorkerCommand) => {
  if (command === 'stop') void background.stop().finally(() => parentPort?.close());
  else void invoke(command);
});
send('started');

async function invoke({ requestId, functionId, event }: Exclude<WorkerCommand, 'stop'>): Promise<void> {
  try {
    await background.invoke(functionId, event, requestId);
    send({ finished: requestId });
  } catch (error) {
    send({ finished: requestId, error: inspect(error) });
  }
}
