import { globSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SOURCES, sourcesDigest } from '../../../infra/bundles/bundle-sources.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const COPIED = ['functions', 'shared', 'infra', 'web', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** Copies the source files, so that a test can change the copies. */
async function aCopy(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'tributary-sources-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  for (const name of COPIED) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  return copy;
}

test('the digest of the sources changes if one is added, renamed, changed or deleted, and is the same if none is', async () => {
  const root = await aCopy();
  const digests = [await sourcesDigest(root)];
  expect(await sourcesDigest(root)).toBe(digests[0]);
  const file = (name: string) => join(root, name);
  await writeFile(file('shared/added.ts'), 'export {};');
  digests.push(await sourcesDigest(root));
  await rename(file('shared/added.ts'), file('shared/renamed.ts'));
  digests.push(await sourcesDigest(root));
  await writeFile(file('shared/renamed.ts'), 'export { };');
  digests.push(await sourcesDigest(root));
  await writeFile(file('package-lock.json'), '{}');
  digests.push(await sourcesDigest(root));
  await rm(file('functions/declarations.ts'));
  digests.push(await sourcesDigest(root));
  expect(new Set(digests).size).toBe(digests.length);
  await rm(file('infra/cli'), { recursive: true });
  expect(await sourcesDigest(root)).toBe(digests.at(-1));
});

test('every file that the sources import is in the digest', () => {
  const files = SOURCES.flatMap((folder) => globSync(`${folder}/**/*.{ts,mts,js}`, { cwd: ROOT }));
  const outside = files.flatMap((file) => {
    const imports = readFileSync(join(ROOT, file), 'utf8').matchAll(
      /(?:from|import|import\(|resolve\()\s*'(\.[^']*)'/g,
    );
    const imported = [...imports].map(([, path = '']) => relative(ROOT, resolve(ROOT, dirname(file), path)));
    return imported.filter((path) => !SOURCES.some((folder) => path.startsWith(`${folder}/`)));
  });
  expect(files.length).toBeGreaterThan(500);
  expect(outside).toEqual([]);
});
