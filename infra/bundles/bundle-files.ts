import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const DAY_MS = 86_400_000;

/** Replaces a file atomically: a runtime that starts meanwhile must not load half a file. */
export async function replaceFile(path: string, contents: string | Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  await rename(draft, path);
}

/** Removes files of earlier builds after one day: a runtime that started with them may still import them. */
export async function removeStale(folder: string, current: ReadonlySet<string>, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (current.has(name)) continue;
    const path = join(folder, name);
    if (now - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { force: true });
  }
}
