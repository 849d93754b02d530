import { backgroundFunctions, operations } from '../../functions/declarations.ts';
import { startBackgroundWorker } from './background/worker-client.ts';
import { enforceLocalPolicies } from './lambda/enforce-policies.ts';
import { installLambdaGlobals } from './lambda/globals.ts';
import { createFunctionLoader, requireBundles } from './lambda/load-functions.ts';
import { runMain, runService } from './run-service.ts';
import { HELP, isHelpRequested, parseStartOptions } from './runtime/options.ts';
import type { FunctionRuntime } from './runtime/runtime.ts';
import { printExamples } from './runtime/startup-message.ts';

// `npm start`: runs the whole service on this machine, with the bundles that a deployment would run.
//
// package.json sets memory options of Node. `--heap-growing-percent` reduces the memory of the process: by default, V8
// lets garbage grow to four times the live data. `--no-memory-reducer` and
// `--external-memory-accounted-in-global-limit` prevent collections that would delay every tenth request with a body
// of a megabyte. Instead, idle-garbage-collection.ts collects garbage while no request is running.

const BUNDLED_FUNCTIONS: FunctionRuntime = {
  prepareOperations: async (policies, reportError) => {
    enforceLocalPolicies(policies, reportError);
    installLambdaGlobals();
    return createFunctionLoader(operations);
  },
  startBackground: startBackgroundWorker,
};

await runMain(async () => {
  const args = process.argv.slice(2);
  if (isHelpRequested(args)) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const options = parseStartOptions(args, process.env);
  requireBundles([...operations, ...backgroundFunctions].map(({ id }) => id));
  await runService({ ...options, timeouts: true }, ({ print }) => ({
    functions: BUNDLED_FUNCTIONS,
    printUsage: (demo) => printExamples(demo, options, print),
  }));
});
