import { readFileSync } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';

const DAY_MS = 86_400_000;

/** What is known of a bundle beside it: esbuild's metafile. */
export const REPORT = 'metafile.json';
const Import = z.object({ path: z.string(), kind: z.string() });
const Outputs = z.record(z.string(), z.object({ imports: z._default(z.array(Import), []) }));
const Report = z.object({ outputs: Outputs });

type Imports = { imports: readonly z.infer<typeof Import>[] };

/**
 * What is deployed of a bundle: its entry and the files that the entry imports, at once or when a request needs them.
 * Its folder may hold others: of an earlier build, or which no code that is left asks for.
 *
 * @param folder of the bundle, with its report
 */
export function deployedFiles(folder: string): string[] {
  const { outputs } = Report.parse(JSON.parse(readFileSync(join(folder, REPORT), 'utf8')));
  return [...filesFromEntry(outputs)].map((path) => basename(path)).sort();
}

/**
 * The files of a bundle that its entry leads to.
 *
 * @param outputs of esbuild's metafile
 * @param kind of the imports that are followed; without it, all of them
 * @throws Error for a build that made no entry
 */
export function filesFromEntry(outputs: Readonly<Record<string, Imports>>, kind?: string): ReadonlySet<string> {
  const entry = Object.keys(outputs).find((path) => basename(path) === 'index.mjs');
  if (entry === undefined) throw new Error('The build made no index.mjs.');
  const reached = new Set([entry]);
  for (const path of reached) {
    for (const imported of outputs[path]?.imports ?? []) {
      if ((kind === undefined || kind === imported.kind) && outputs[imported.path] !== undefined)
        reached.add(imported.path);
    }
  }
  return reached;
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
