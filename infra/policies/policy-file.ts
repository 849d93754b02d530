import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import type { Policies } from './template-policies.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CACHE_FOLDER = join(ROOT, 'node_modules', '.cache', 'tributary-policies');
/** Environment variable with the path of the policy file, for child processes. */
export const POLICIES_FILE = 'TRIBUTARY_POLICIES_FILE';

const StoredStatement = z.object({
  effect: z.enum(['Allow', 'Deny']),
  actions: z.array(z.string()),
  resources: z.array(z.string()),
  conditions: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
});
const StoredPolicies = z.record(z.string(), z.array(StoredStatement));

/**
 * Returns the path of a file with the policies of all functions in stage prod. Synthesizes the policies only if the
 * stacks have changed. The bundler and the CDK run in processes of their own, because the memory that they use is
 * released only when a process ends.
 *
 * @param warn called if the synthesis fails and the file of the last successful synthesis is used instead
 * @throws Error if the synthesis fails and no earlier file exists. Without `warn`, earlier files are not used.
 */
export async function ensurePolicyFile(warn?: (message: string) => void): Promise<string> {
  const inherited = process.env[POLICIES_FILE];
  if (inherited !== undefined) return inherited;
  try {
    return await synthesizeCurrent();
  } catch (cause) {
    const newest = warn && newestFile();
    if (newest === undefined) throw new Error('The policies of the functions could not be synthesized.', { cause });
    warn?.('The stacks cannot be synthesized. Functions run with the policies of the last successful synthesis.');
    return newest;
  }
}

async function synthesizeCurrent(): Promise<string> {
  const digest = await run('print-stack-digest.ts');
  const file = join(CACHE_FOLDER, `${digest}.json`);
  if (existsSync(file)) return file;
  mkdirSync(CACHE_FOLDER, { recursive: true });
  const policies = await run('print-policies.ts');
  // With `npm run dev`, the sources may have changed since the digest was computed. The policies then do not belong to
  // this digest.
  if ((await run('print-stack-digest.ts')) !== digest) return synthesizeCurrent();
  // Rename, because other processes may read the file at any time.
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, policies);
  renameSync(temporary, file);
  return file;
}

/** Runs a script of this folder. @returns what it prints @throws Error with its error output if it fails */
async function run(script: string): Promise<string> {
  const options = { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, script)], options);
  return stdout;
}

function newestFile(): string | undefined {
  const names = existsSync(CACHE_FOLDER) ? readdirSync(CACHE_FOLDER).filter((name) => name.endsWith('.json')) : [];
  const files = names.map((name) => join(CACHE_FOLDER, name));
  return files.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}

export const readPolicies = (file: string): Policies => StoredPolicies.parse(JSON.parse(readFileSync(file, 'utf8')));
