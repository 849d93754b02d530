import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { UserError } from '../common/user-error.ts';
import { requireBundles } from './lambda/load-functions.ts';
import { redirectFunctionLogs } from './lambda/logs.ts';
import { diskFullMessage, toStartError } from './runtime/disk-space.ts';
import { HELP, isHelpRequested, parseStartOptions, type StartOptions } from './runtime/options.ts';
import { type Runtime, startRuntime } from './runtime/runtime.ts';
import { printStartupMessage } from './runtime/startup-message.ts';
import { openStateFolder } from './runtime/state-folder.ts';

// `npm start`: runs the whole service on this machine.
//
// The memory options of Node in package.json apply to this thread and to the worker thread. The two options that limit
// sizes also apply to the process of the stand-ins. By default, V8 keeps 128 MB of young objects in each of these three
// heaps, and lets garbage grow to four times the live data. With only a smaller heap, V8 would delay every tenth
// request with a body of a megabyte, because it also collects when it considers the process idle (the memory reducer)
// and after every 64 MB of buffers. With these options, garbage (including buffers) grows to half of the live data, and
// is collected while no request is running (idle-garbage-collection.ts).

const STOP_TIMEOUT_MS = 4_500;
const PARENT_CHECK_MS = 500;

try {
  await main();
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exit(1);
}

async function main(): Promise<void> {
  if (isHelpRequested(process.argv.slice(2))) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const options = parseStartOptions(process.argv.slice(2), process.env);
  await run(options).catch((error: unknown) => Promise.reject(toStartError(error, options.state)));
}

async function run(options: StartOptions): Promise<void> {
  const startMs = performance.now();
  requireBundles([...operations, ...backgroundFunctions].map(({ id }) => id));
  const state = await openStateFolder(options.state, options);
  process.on('exit', state.release);
  const output = redirectFunctionLogs(state.path('functions.log'), state.path('metrics.log'));
  const { print, reportError } = output;
  // An unhandled error of one function must not end the others, because in Lambda, it would end only one invocation.
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
  runtime = await startRuntime(options, state, output);
  printStartupMessage(runtime.demo, options, print);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  print(`Ready after ${seconds} s. Press Ctrl-C to stop. The state stays.`);
  console.error(await runtime.failed);
  const diskFull = diskFullMessage(options.state);
  if (diskFull !== undefined) console.error(diskFull);
  exit(1);
}

/**
 * Stops the runtime and exits on SIGINT, on SIGTERM and when npm has exited. Otherwise, this process would keep its
 * ports after npm was killed.
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
  if (process.env.npm_lifecycle_event === 'start') setInterval(checkParent, PARENT_CHECK_MS).unref();
  return exit;
}
