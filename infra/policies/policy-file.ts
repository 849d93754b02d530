import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import type { Policies } from './template-policies.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'tributary-policies');
const MAKER = join(import.meta.dirname, 'synthesize-policies.ts');
/** Where it is, for what a process starts that knows. */
export const POLICIES_FILE = 'TRIBUTARY_POLICIES_FILE';
const FILES = ['package-lock.json', 'cdk.json'];

const OfStatement = z.object({
  effect: z.enum(['Allow', 'Deny']),
  actions: z.array(z.string()),
  resources: z.array(z.string()),
  conditions: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
});
const OfFunctions = z.record(z.string(), z.array(OfStatement));

/**
 * The file with the policies of all functions, as a synthesis of prod has them: made once for each state of what stacks
 * are made of, in a process of its own, as the CDK takes seconds and much memory.
 *
 * @param warn is told when the stacks can not be made as they are now: then it is the newest file of an earlier state
 * @throws Error without `warn`, or without an earlier file
 */
export async function ensurePolicyFile(warn?: (sentence: string) => void): Promise<string> {
  const known = process.env[POLICIES_FILE];
  if (known !== undefined) return known;
  try {
    return await fileOfNow();
  } catch (cause) {
    const newest = warn && newestFile();
    if (newest === undefined) throw new Error('The policies of functions could not be synthesized.', { cause });
    warn?.('The stacks can not be synthesized: functions run under the policies of the last time that they could.');
    return newest;
  }
}

async function fileOfNow(): Promise<string> {
  const file = join(CACHE, `${await digestOfStacks()}.json`);
  if (existsSync(file)) return file;
  mkdirSync(CACHE, { recursive: true });
  const main = `import(${JSON.stringify(MAKER)}).then((made) => made.printPolicies('prod'))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', main], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  });
  // By rename: others may be looking for it.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, stdout);
  renameSync(unfinished, file);
  return file;
}

function newestFile(): string | undefined {
  const names = existsSync(CACHE) ? readdirSync(CACHE).filter((name) => name.endsWith('.json')) : [];
  const files = names.map((name) => join(CACHE, name));
  return files.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0];
}

export const readPolicies = (file: string): Policies => OfFunctions.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Of the program that makes the stacks, without comments and without what it does not use, and of its packages. */
async function digestOfStacks(): Promise<string> {
  const { build } = await import('rolldown');
  const { output } = await build({
    cwd: ROOT,
    input: MAKER,
    external: /^[^./]/,
    platform: 'node',
    output: { format: 'esm', minify: true, comments: false },
    write: false,
    logLevel: 'silent',
  });
  const digest = createHash('sha256').update(process.version);
  for (const file of output) digest.update(file.type === 'chunk' ? file.code : file.source);
  for (const name of FILES) digest.update(readFileSync(join(ROOT, name)));
  return digest.digest('hex').slice(0, 32);
}
