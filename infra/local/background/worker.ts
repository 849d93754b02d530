import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { backgroundFunctions } from '../../../functions/declarations.ts';
import { enforceLocalPolicies } from '../lambda/enforce-policies.ts';
import { createFunctionLoader } from '../lambda/load-functions.ts';
import { startBackgroundFunctions } from './run-background.ts';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from './worker-client.ts';

// The worker thread that runs the background functions, so that their CPU time doesn't delay HTTP responses.

const { checkpointsFolder, policies } = workerData as WorkerSettings;
const send = (message: WorkerMessage) => parentPort?.postMessage(message);
const reportError = (what: string, error: unknown) => send({ what, error: inspect(error) });

enforceLocalPolicies(policies, reportError);
const getFunction = createFunctionLoader(backgroundFunctions);
const background = await startBackgroundFunctions({
  functions: backgroundFunctions,
  getFunction,
  checkpointsFolder,
  reportError,
});
// Add these listeners only after the start. An error during the start must end the thread, because the main thread
// would otherwise wait forever. After the start, an unhandled error of one function must not end the others.
process.on('uncaughtException', (error) => reportError('Unhandled error outside of any request or invocation', error));
process.on('unhandledRejection', (error) => reportError('Unhandled error outside of any request or invocation', error));

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
