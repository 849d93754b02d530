import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeStale, replaceFile } from '../../../infra/bundles/bundle-files.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-files-'));
});

afterAll(() => rm(folder, { recursive: true }));

test('files of earlier builds are removed if they are older than a day; all other files are kept', async () => {
  for (const name of ['current.mjs', 'old.mjs', 'young.mjs']) await writeFile(join(folder, name), '');
  const now = Date.now();
  const twoDaysAgo = new Date(now - 2 * 86_400_000);
  for (const name of ['current.mjs', 'old.mjs']) await utimes(join(folder, name), twoDaysAgo, twoDaysAgo);
  await removeStale(folder, new Set(['current.mjs']), now);
  expect((await readdir(folder)).sort()).toEqual(['current.mjs', 'young.mjs']);
});

test('the removal of old files keeps all current files, even while another build replaces the current files', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `${index}.mjs`);
  const current = new Set(names);
  for (let round = 0; round < 20; round++) {
    const replaced = Promise.all(names.map((name) => replaceFile(join(folder, name), 'code')));
    await expect(Promise.all([removeStale(folder, current, Date.now()), replaced])).resolves.toBeDefined();
  }
  expect(await readdir(folder)).toEqual(expect.arrayContaining(names));
});
