import { readFileSync } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';

const DAY_MS = 86_400_000;

/** What is known of a bundle beside it: esbuild's metafile. */
export const REPORT = 'metafile.json';
const Report = z.object({ outputs: z.record(z.string(), z.unknown()) });

const isCode = (path: string): boolean => path.endsWith('.mjs');

/**
 * What is deployed of a bundle: its entry and the files that the entry imports, at once or when a request needs them.
 * Its folder may hold others, of an earlier build.
 *
 * @param folder of the bundle, with its report
 */
export function deployedFiles(folder: string): string[] {
  const { outputs } = Report.parse(JSON.parse(readFileSync(join(folder, REPORT), 'utf8')));
  return Object.keys(outputs)
    .filter(isCode)
    .map((path) => basename(path))
    .sort();
}

/** Whole or not at all: a runtime that starts meanwhile must not load half a file. */
export async function replaceFile(path: string, contents: string | Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  await rename(draft, path);
}

/** Removes files of earlier builds, but those of the last day: a runtime that began with them may still import them. */
export async function removeStale(folder: string, current: ReadonlySet<string>, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (current.has(name)) continue;
    const path = join(folder, name);
    if (now - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { force: true });
  }
}
