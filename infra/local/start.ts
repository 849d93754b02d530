import { backgroundFunctions, operations } from '../../functions/operations.ts';
import { UserError } from './friendly-error.ts';
import { requireBundles } from './lambda/load-functions.ts';
import { redirectFunctionLogs } from './lambda/logs.ts';
import { diskFullMessage, toStartError } from './runtime/disk-space.ts';
import { HELP, isHelpRequested, parseStartOptions, type StartOptions } from './runtime/options.ts';
import { type Runtime, startRuntime } from './runtime/runtime.ts';
import { printStartupMessage } from './runtime/startup-message.ts';
import { openStateFolder } from './runtime/state-folder.ts';

// `npm start`: the whole service on this machine. Node's options there hold for the background thread too, and most of them
// for the stand-ins: by default V8 keeps 128 MB of young objects for each of the three, and lets garbage pile up fourfold before it
// collects, as a heap of 4 GB is allowed to; or it collects so often that every tenth request of a megabyte waits for it,
// when it takes a process for idle (the memory reducer) and whenever 64 MB of bytes have come and gone. One and
// a half times what is live, bytes included, may pile up, and what requests leave is collected when nobody waits (idle-collection.ts).

const STOP_MS = 4_500;

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
  const began = performance.now();
  requireBundles([...operations, ...backgroundFunctions].map(({ id }) => id));
  const state = await openStateFolder(options.state, options);
  process.on('exit', state.release);
  const voice = redirectFunctionLogs(state.path('functions.log'), state.path('metrics.log'));
  const { print: say, reportError: report } = voice;
  // Whatever a function leaves behind must not end the others: Lambda would lose one invocation.
  process.on('uncaughtException', (error) => report('Something failed outside of any request', error));
  process.on('unhandledRejection', (error) => report('Something failed outside of any request', error));
  say('Tributary is starting …');
  let runtime: Runtime | undefined;
  const farewell = `Stopping. The state stays in ${options.state}: "npm start" continues with it.`;
  const end = endsOnce(
    async () => runtime?.stop(),
    () => say(`\n${farewell}`),
  );
  runtime = await startRuntime(options, state, voice);
  printStartupMessage(runtime.demo, options, say);
  say(`Ready after ${((performance.now() - began) / 1000).toFixed(1)} s. Ctrl-C ends everything; the state stays.`);
  console.error(await runtime.failed);
  const full = diskFullMessage(options.state);
  if (full !== undefined) console.error(full);
  end(1);
}

/** Ends the process on the usual signals, and when npm is gone: a killed npm must leave nothing behind on its ports. */
function endsOnce(stop: () => Promise<void>, announceEnd: () => void): (code: number) => void {
  let ending = false;
  const end = (code: number) => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(code), STOP_MS).unref();
    stop().finally(() => process.exit(code));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, announceEnd);
    process.on(signal, () => end(0));
  }
  const parent = process.ppid;
  const watch = () => process.ppid !== parent && end(0);
  if (process.env.npm_lifecycle_event === 'start') setInterval(watch, 500).unref();
  return end;
}
