import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import inspector from 'node:inspector';
import { join } from 'node:path';
import { bundlePageClient } from '../../bundles/page-client.ts';
import { runMain, runService } from '../run-service.ts';
import { DEFAULT_STATE, DEV_HELP, isHelpRequested, parseDevOptions, ROOT } from '../runtime/options.ts';
import { createDevFunctions } from './dev-functions.ts';
import { RESEEDED_FILE, reseed } from './reseed.ts';
import { watchSources } from './watch-sources.ts';

// `npm run dev`: runs the service as `npm start` does, and rebuilds functions after each save.

await runMain(async () => {
  const args = process.argv.slice(2);
  if (isHelpRequested(args)) {
    process.stdout.write(`${DEV_HELP}\n`);
    return;
  }
  const { inspectPort, ...options } = parseDevOptions(args, process.env);
  if (options.reseed) return reseed(options.state);
  // An IDE that debugs this command has already opened the inspector.
  const isDebugged = inspectPort !== undefined || inspector.url() !== undefined;
  if (inspectPort !== undefined && inspector.url() === undefined) inspector.open(inspectPort, '127.0.0.1');
  const timeouts = !isDebugged;
  await bundlePageClient();
  await runService({ ...options, timeouts }, (output) => {
    const functions = createDevFunctions(output, { folder: emptyBundleFolder(options.state), timeouts });
    // Changes during the start are applied when the service is ready.
    const started = Promise.withResolvers<void>();
    const watching = watchSources(join(options.state, RESEEDED_FILE), (files) =>
      started.promise
        .then(() => functions.update(files))
        .catch((error: unknown) => output.reportError('A change was not applied', error)),
    );
    return {
      functions,
      printUsage: () => output.print(`  Requests       npm run logs${logsArguments(options.state)}\n`),
      onReady: async (runtime) => {
        functions.attach(runtime);
        await watching;
        started.resolve();
        output.print('Watching functions, shared and infra. Save a file to rebuild the functions that use it.');
      },
    };
  });
});

function logsArguments(state: string): string {
  return state === DEFAULT_STATE ? '' : ` -- --state "${state}"`;
}

/**
 * Creates the folder for the bundles. Its name derives from the state folder, so that processes with different state
 * folders never share it. The folder is inside the repository, so that bundles can import installed packages.
 */
function emptyBundleFolder(state: string): string {
  const folder = join(ROOT, 'dist', 'dev', createHash('sha256').update(state).digest('hex').slice(0, 12));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
