import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../common/user-error.ts';

const DAY_MS = 86_400_000;

/** Replaces a file atomically, because a runtime that starts at the same time must not load half a file. */
export async function replaceFile(path: string, contents: string | Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  await rename(draft, path);
}

/**
 * Removes files of earlier builds that are more than one day old. Younger files stay, because a runtime that started
 * with them may still import them.
 */
export async function removeStale(folder: string, current: ReadonlySet<string>, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (current.has(name)) continue;
    const path = join(folder, name);
    if (now - (await modifiedMs(path, now)) > DAY_MS) await rm(path, { force: true });
  }
}

/** Returns the time of the last change; `now` if the file is gone, because another build renamed its draft. */
const modifiedMs = (path: string, now: number): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return now;
      throw error;
    },
  );
