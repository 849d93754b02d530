import { join } from 'node:path';
import { watch } from 'chokidar';
import { ROOT } from '../runtime/options.ts';

const WATCHED = ['functions', 'shared', 'infra', 'package.json', 'package-lock.json'];
/** Changes within this time are reported together, for example all changes of a Git checkout. */
const GROUP_MS = 20;

/**
 * Watches the sources and another file. Calls `onChange` with the absolute paths of changed, added and deleted files,
 * and never while an earlier call is running. Resolves when the watcher is ready. Earlier changes can be missed.
 */
export async function watchSources(
  alsoWatched: string,
  onChange: (files: readonly string[]) => Promise<void>,
): Promise<void> {
  const changed = new Set<string>();
  let isRunning = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    while (changed.size > 0) {
      const files = [...changed];
      changed.clear();
      await onChange(files);
    }
    isRunning = false;
  };
  const watcher = watch([...WATCHED.map((path) => join(ROOT, path)), alsoWatched], { ignoreInitial: true });
  watcher.on('all', (_event, path) => {
    changed.add(path);
    setTimeout(run, GROUP_MS);
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
}
