import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import type { Policies } from './template-policies.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CACHE_FOLDER = join(ROOT, 'node_modules', '.cache', 'tributary-policies');
const SYNTHESIS_MODULE = join(import.meta.dirname, 'synthesize-policies.ts');
/** Environment variable with the path of the policy file, for child processes. */
export const POLICIES_FILE = 'TRIBUTARY_POLICIES_FILE';
const DIGESTED_FILES = ['package-lock.json', 'cdk.json'];

const StoredStatement = z.object({
  effect: z.enum(['Allow', 'Deny']),
  actions: z.array(z.string()),
  resources: z.array(z.string()),
  conditions: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
});
const StoredPolicies = z.record(z.string(), z.array(StoredStatement));

/**
 * Returns the path of a file with the policies of all functions in stage prod. Synthesizes the policies only if the
 * stacks have changed, and in a separate process, because the CDK needs seconds and much memory.
 *
 * @param warn called if the synthesis fails and the file of the last successful synthesis is used instead
 * @throws Error if the synthesis fails, and either `warn` is not given or no earlier synthesis has succeeded
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
  const digest = await digestStackSources();
  const file = join(CACHE_FOLDER, `${digest}.json`);
  if (existsSync(file)) return file;
  mkdirSync(CACHE_FOLDER, { recursive: true });
  const script = `import(${JSON.stringify(SYNTHESIS_MODULE)}).then((module) => module.printPolicies('prod'))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  });
  // With `npm run dev`, the sources may have changed since the digest.
  if ((await digestStackSources()) !== digest) return synthesizeCurrent();
  // Rename, because other processes may read the file at any time.
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, stdout);
  renameSync(temporary, file);
  return file;
}

function newestFile(): string | undefined {
  const names = existsSync(CACHE_FOLDER) ? readdirSync(CACHE_FOLDER).filter((name) => name.endsWith('.json')) : [];
  const files = names.map((name) => join(CACHE_FOLDER, name));
  return files.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}

export const readPolicies = (file: string): Policies => StoredPolicies.parse(JSON.parse(readFileSync(file, 'utf8')));

/**
 * Returns a digest of what determines the stacks: their code, the packages, `cdk.json` and the version of Node. The
 * code is bundled first, so that comments and unused code don't change the digest.
 */
async function digestStackSources(): Promise<string> {
  const { build } = await import('rolldown');
  const { output } = await build({
    cwd: ROOT,
    input: SYNTHESIS_MODULE,
    external: /^[^./]/,
    platform: 'node',
    output: { format: 'esm', minify: true, comments: false },
    write: false,
    logLevel: 'silent',
  });
  const digest = createHash('sha256').update(process.version);
  for (const file of output) digest.update(file.type === 'chunk' ? file.code : file.source);
  for (const name of DIGESTED_FILES) digest.update(readFileSync(join(ROOT, name)));
  return digest.digest('hex').slice(0, 32);
}
