import { UserError } from '../common/user-error.ts';
import type { RuntimeOutput } from './common/output.ts';
import { redirectFunctionLogs } from './lambda/logs.ts';
import { diskFullMessage, toStartError } from './runtime/disk-space.ts';
import { type FunctionRuntime, type Runtime, type RuntimeOptions, startRuntime } from './runtime/runtime.ts';
import { printAddresses } from './runtime/startup-message.ts';
import { openStateFolder } from './runtime/state-folder.ts';
import type { Demo } from './seed/demo-json.ts';

const STOP_TIMEOUT_MS = 4_500;
const PARENT_CHECK_MS = 500;

/** Runs the main function of a command. If the function throws, prints the error and exits with code 1. */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof UserError ? error.message : error);
    process.exit(1);
  }
}

type Functions = {
  functions: FunctionRuntime;
  /** Prints what to do with the running service. */
  printUsage(demo: Demo): void;
  /** Called when the service is ready. */
  onReady?(runtime: Runtime): Promise<void>;
};

/**
 * Runs the whole service on this machine until a signal arrives, npm has exited, or the AWS stand-ins or the background
 * functions crash. Then exits the process.
 *
 * @param createFunctions called after the state folder has been locked
 * @throws UserError for an error that the person at the terminal can solve; any other error unchanged
 */
export const runService = (
  options: RuntimeOptions,
  createFunctions: (output: RuntimeOutput) => Functions,
): Promise<void> =>
  run(options, createFunctions).catch((error: unknown) => Promise.reject(toStartError(error, options.state)));

async function run(options: RuntimeOptions, createFunctions: (output: RuntimeOutput) => Functions): Promise<void> {
  const startMs = performance.now();
  const state = await openStateFolder(options.state, options);
  process.on('exit', state.release);
  const output = redirectFunctionLogs(state.path('functions.log'), state.path('metrics.log'));
  const { print, reportError } = output;
  // In Lambda, an unhandled error ends only one invocation. Here, it must not end the other functions.
  process.on('uncaughtException', (error) =>
    reportError('Unhandled error outside of any request or invocation', error),
  );
  process.on('unhandledRejection', (error) =>
    reportError('Unhandled error outside of any request or invocation', error),
  );
  print('Tributary is starting …');
  let runtime: Runtime | undefined;
  const exit = exitOnSignals(
    async () => runtime?.stop(),
    () => print(`\nStopping. The state stays in ${options.state}. The next start with this folder continues with it.`),
  );
  const { functions, printUsage, onReady } = createFunctions(output);
  runtime = await startRuntime(options, state, output, functions);
  printAddresses(runtime.demo, options, print);
  printUsage(runtime.demo);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  print(`Ready after ${seconds} s. Press Ctrl-C to stop. The state stays.`);
  await onReady?.(runtime);
  console.error(await runtime.failed);
  const diskFull = diskFullMessage(options.state);
  if (diskFull !== undefined) console.error(diskFull);
  exit(1);
}

/**
 * Stops the runtime and exits on SIGINT, on SIGTERM, and when npm has exited. Without the check for npm, this process
 * would keep its ports after npm was killed.
 *
 * @returns a function that stops the runtime and exits with the given code
 */
function exitOnSignals(stop: () => Promise<void>, printStopping: () => void): (code: number) => void {
  let isExiting = false;
  const exit = (code: number) => {
    if (isExiting) return;
    isExiting = true;
    setTimeout(() => process.exit(code), STOP_TIMEOUT_MS).unref();
    stop().finally(() => process.exit(code));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, printStopping);
    process.on(signal, () => exit(0));
  }
  const parent = process.ppid;
  const checkParent = () => process.ppid !== parent && exit(0);
  if (process.env.npm_lifecycle_event !== undefined) setInterval(checkParent, PARENT_CHECK_MS).unref();
  return exit;
}
