import { describe, expect, test } from 'vitest';
import { importFacts } from '../../../../infra/local/seed/import-facts.ts';
import { commitFiles } from '../../../../shared/analytics/facts/commit-files.ts';
import type { FactFile } from '../../../../shared/analytics/facts/fact-files.ts';
import { type ListedFile, latestCompleteUntilMs, type Manifest } from '../../../../shared/analytics/facts/manifest.ts';
import { aFact, MAY_31 } from '../../../support/analytics/analytics.ts';
import { type FactStores, FUNNEL, factStores, HOUR_MS } from '../../../support/analytics/compaction.ts';

const write = ({ writer }: FactStores) => writer.write(FUNNEL, [aFact()], 0);
const listed = (files: readonly FactFile[]) => (read: Manifest) => ({
  ...read,
  files: [...read.files, ...files.map((file) => ({ ...file, level: '1' }) as const)],
});
const read = ({ manifests }: FactStores) => manifests.read(FUNNEL);

describe('commitFiles', () => {
  test('returns committed if its commit succeeded but was reported as a conflict', async () => {
    const stores = factStores();
    const file = await write(stores);
    const replaceIfUnchanged: typeof stores.manifests.replaceIfUnchanged = async (...given) => {
      await stores.manifests.replaceIfUnchanged(...given);
      return false;
    };
    const ports = { ...stores, manifests: { ...stores.manifests, replaceIfUnchanged } };
    expect(await commitFiles(ports, FUNNEL, [file], MAY_31, listed([file]))).toBe('committed');
    expect(await read(stores)).toMatchObject({ version: 1, files: [{ name: file.name }] });
  });

  test('adds nothing to the manifest and returns superseded if the file was retired before the commit', async () => {
    const stores = factStores();
    const file = await write(stores);
    const retired = [{ name: file.name, retiredMs: MAY_31 }];
    await stores.manifests.replaceIfUnchanged(FUNNEL, await read(stores), { ...(await read(stores)), retired });
    expect(await commitFiles(stores, FUNNEL, [file], MAY_31, listed([file]))).toBe('superseded');
    expect(await read(stores)).toMatchObject({ version: 1, files: [] });
  });

  test.each([
    ['more than 45 minutes ago', 46 * 60_000],
    ['in the future, because the clock was set back', -1],
  ])('adds nothing to the manifest and returns superseded if the work began %s', async (_, tookMs) => {
    const stores = factStores();
    const file = await write(stores);
    stores.clock.ms += tookMs;
    expect(await commitFiles(stores, FUNNEL, [file], MAY_31, listed([file]))).toBe('superseded');
    expect((await read(stores)).version).toBe(0);
  });

  test('returns superseded if another process commits first, and `next` then returns undefined', async () => {
    const stores = factStores();
    const [mine, theirs] = [await write(stores), await write(stores)];
    let tries = 0;
    const outcome = await commitFiles(stores, FUNNEL, [mine], MAY_31, (current) => {
      if (++tries === 1) void stores.manifests.replaceIfUnchanged(FUNNEL, current, listed([theirs])(current));
      return tries === 1 ? listed([mine])(current) : undefined;
    });
    expect({ outcome, tries }).toEqual({ outcome: 'superseded', tries: 2 });
    expect((await read(stores)).files.map(({ name }) => name)).toEqual([theirs.name]);
  });
});

test('an import that takes too long throws, and adds no file to the manifest; a repeated import succeeds', async () => {
  const stores = factStores();
  const write: typeof stores.writer.write = async (...given) => {
    const file = await stores.writer.write(...given);
    stores.clock.pass(HOUR_MS);
    return file;
  };
  await expect(importFacts({ ...stores, writer: { write } }, FUNNEL, [aFact()])).rejects.toThrow('Repeat the import');
  expect((await read(stores)).version).toBe(0);
  await importFacts(stores, FUNNEL, [aFact()], { completeUntilMs: 7 });
  expect((await read(stores)).files).toMatchObject([{ level: 'base', completeUntilMs: 7 }]);
});

test('latestCompleteUntilMs is taken from the last committed level 1 file, else from the base; without files, it is 0', async () => {
  const stores = factStores();
  const at = async (level: ListedFile['level'], completeUntilMs: number) => ({
    ...(await write(stores)),
    level,
    completeUntilMs,
  });
  const [base, ahead, last] = [await at('base', 1), await at('1', 9), await at('1', 5)];
  expect(latestCompleteUntilMs([])).toBe(0);
  expect(latestCompleteUntilMs([base])).toBe(1);
  expect(latestCompleteUntilMs([ahead, last, base])).toBe(5);
});
