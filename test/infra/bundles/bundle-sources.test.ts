import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sourcesDigest } from '../../../infra/bundles/bundle-sources.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const COPIED = ['functions', 'shared', 'infra', 'web', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** Copies the source files, so that a test can change the copies. */
async function aCopy(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'tributary-sources-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  for (const name of COPIED) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  return copy;
}

test('the digest changes if a file is added, renamed, changed or deleted, and is the same for unchanged files', async () => {
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
});
