import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders with the sources and scripts of a build. They import no other folder of the repository. */
export const SOURCES = [
  'functions',
  'shared',
  'web',
  'infra/bundles',
  'infra/common',
  'infra/openapi',
  'infra/page-client',
] as const;
/** Files that a build depends on. The lock file represents the packages. */
const FILES = ['package-lock.json', 'package.json', 'tsconfig.json'];

/**
 * Computes a digest of everything that a build depends on, including the version of Node.
 *
 * @param root root of the repository
 */
export async function sourcesDigest(root: string): Promise<string> {
  const folders = await Promise.all(
    SOURCES.map(async (folder) => {
      const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    }),
  );
  const paths = [...folders.flat(), ...FILES.map((file) => join(root, file))].sort();
  const digest = createHash('sha256').update(process.version);
  for (const [at, content] of (await Promise.all(paths.map((path) => readFile(path)))).entries()) {
    digest.update(`\0${paths[at]}\0${content.length}\0`).update(content);
  }
  return digest.digest('hex');
}
