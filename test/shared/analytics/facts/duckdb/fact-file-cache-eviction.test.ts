import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createFactFileCache, sha256 } from '../../../../../shared/analytics/facts/duckdb/fact-file-cache.ts';
import type { FactFile } from '../../../../../shared/analytics/facts/fact-files.ts';
import { EMPTY_MANIFEST } from '../../../../../shared/analytics/facts/manifest.ts';
import { createDirtySessionCache } from '../../../../../shared/analytics/queries/dirty-sessions.ts';
import { aFact } from '../../../../support/analytics/analytics.ts';
import { copies, FUNNEL, factFiles, folder, write } from '../../../../support/analytics/duckdb-fact-store.ts';

describe('local copies of fact files', () => {
  const files = ['f/1', 'f/2', 'e/3', 'other/4'].map((name) => {
    const bytes = Buffer.from(`the bytes of ${name}`);
    return { name, bytes: bytes.length, sha256: sha256(bytes) };
  });
  const [one = expect.unreachable(), two = expect.unreachable()] = files;
  const opened = () => createFactFileCache(folder, 1_000_000, async ({ name }) => Buffer.from(`the bytes of ${name}`));
  const left = async () => opened().withCopies(files, async () => undefined);

  test('are deleted if the manifest no longer lists their files, even partial copies and copies of other processes', async () => {
    const early = opened();
    await left();
    for (const half of ['f-1.parquet.half', 'f-2.parquet.half']) writeFileSync(join(folder, half), '');
    await early.evictExcept('f', [two]);
    expect(readdirSync(folder).sort()).toEqual([
      ...['e-3.parquet', 'f-2.parquet', 'f-2.parquet.half', 'other-4.parquet'],
    ]);
  });

  test('are kept while they are in use, and are deleted afterwards if their files are no longer listed', async () => {
    const cache = opened();
    await left();
    await cache.withCopies([one, two], async ([path = '']) => {
      await cache.withCopies([one], () => cache.evictExcept('f', [two]));
      expect(await readFile(path, 'utf8')).toBe('the bytes of f/1');
    });
    expect(copies().sort()).toEqual(['e-3.parquet', 'f-2.parquet', 'other-4.parquet']);
    expect(await cache.withCopies([one], async ([path = '']) => readFile(path, 'utf8'))).toBe('the bytes of f/1');
  });

  test('are stored again if the folder was deleted while they were being stored', async () => {
    let fetches = 0;
    const cache = createFactFileCache(folder, 1_000_000, async ({ name }) => {
      if (++fetches === 1) rmSync(folder, { recursive: true });
      else mkdirSync(folder);
      return Buffer.from(`the bytes of ${name}`);
    });
    expect(await cache.withCopies([one], async ([path = '']) => readFile(path, 'utf8'))).toBe('the bytes of f/1');
    expect(fetches).toBe(2);
  });

  test('are deleted when the dirty session cache reads a newer manifest without their files', async () => {
    const reader = factFiles();
    const memory = createDirtySessionCache(reader);
    const list = async (version: number, ...listed: FactFile[]) => {
      const manifest = {
        ...EMPTY_MANIFEST,
        version,
        files: listed.map((file) => ({ ...file, level: 'base' as const })),
      };
      await memory.mergeAndListChanged(FUNNEL, { fresh: [], manifest });
      await reader.read(listed);
      return listed.map(({ name }) => `${name.replace('/', '-')}.parquet`);
    };
    const [old, made] = await Promise.all([write([aFact()]), write([aFact()])]);
    expect(copies()).toEqual([]);
    expect(await list(1, old)).toEqual(copies());
    const now = await list(2, made);
    await vi.waitFor(() => expect(copies()).toEqual(now), { timeout: 30_000 });
  });
});
