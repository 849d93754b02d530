import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { watch } from 'chokidar';
import { ROOT } from '../runtime/options.ts';

const WATCHED = ['functions', 'shared', 'infra', 'package.json', 'package-lock.json'];
/**
 * Changes are reported together when this time has passed without a change. One Git checkout thus causes one report.
 * After a change of a file, chokidar ignores further changes of the file for 50 ms. `GROUP_MS` must be longer, so that
 * `onChange` reads the file after these changes.
 */
const GROUP_MS = 60;

/**
 * Watches the sources and the file `alsoWatched`. Calls `onChange` with the absolute paths of changed, added and
 * deleted files, and of added and deleted folders. These calls never overlap. Resolves when the watcher is ready, with
 * a function that stops the watcher and waits for the last call. Changes before the watcher is ready can be missed.
 */
export async function watchSources(
  alsoWatched: string,
  onChange: (files: readonly string[]) => Promise<void>,
): Promise<() => Promise<void>> {
  const changed = new Set<string>();
  let latestMs = 0;
  let running: Promise<void> | undefined;
  const quiet = async () => {
    const leftMs = () => latestMs + GROUP_MS - performance.now();
    while (leftMs() > 0) await delay(leftMs());
  };
  const run = async () => {
    while (changed.size > 0) {
      await quiet();
      const files = [...changed];
      changed.clear();
      await onChange(files);
    }
    running = undefined;
  };
  const watcher = watch([...WATCHED.map((path) => join(ROOT, path)), alsoWatched], { ignoreInitial: true });
  watcher.on('all', (_event, path) => {
    changed.add(path);
    latestMs = performance.now();
    running ??= run();
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return async () => {
    await watcher.close();
    await running;
  };
}
