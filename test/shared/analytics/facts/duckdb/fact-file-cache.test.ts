import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createSandboxedDuckDb } from '../../../../../shared/analytics/facts/duckdb/duckdb.ts';
import { createDuckDbFactReader } from '../../../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createFactFileCache, sha256 } from '../../../../../shared/analytics/facts/duckdb/fact-file-cache.ts';
import { type FactFile, factObjectKey } from '../../../../../shared/analytics/facts/fact-files.ts';
import { aFact } from '../../../../support/analytics/analytics.ts';
import {
  always,
  copies,
  counted,
  drafts,
  factFiles,
  folder,
  objects,
  write,
} from '../../../../support/analytics/duckdb-fact-store.ts';
import { ignoredMetrics } from '../../../../support/platform/ignored-metrics.ts';

describe('a fact file', () => {
  const damages: [string, (bytes: Uint8Array) => Uint8Array][] = [
    ['cut off', (bytes) => bytes.slice(0, -1)],
    ['emptied', () => new Uint8Array()],
    ['changed in one bit', (bytes) => bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte))],
    ['overwritten with zeros', (bytes) => new Uint8Array(bytes.length)],
  ];

  test.each(damages)('without a local copy, causes an error if it was %s in the store', async (_, damage) => {
    const file = await write([aFact(), aFact({ sessionKey: 2n })]);
    objects.stored.set(factObjectKey(file), damage(objects.stored.get(factObjectKey(file)) ?? new Uint8Array()));
    await expect(factFiles().read([file])).rejects.toThrow('is damaged');
    expect(readdirSync(folder)).toEqual([]);
    expect(counted).toEqual(['FactFilesUnreadable']);
  });

  test.each(damages)('is downloaded again if its copy was %s before the process started', async (_, damage) => {
    const fact = aFact();
    const file = await write([fact]);
    await factFiles().read([file]);
    const path = join(folder, copies()[0] ?? '');
    writeFileSync(path, damage(await readFile(path)));
    expect(await factFiles().read([file])).toEqual([fact]);
    expect(objects.gets).toHaveLength(2);
    expect(counted).toEqual([]);
  });

  test.each(damages)('is downloaded again if its copy was %s while the process runs', async (_, damage) => {
    const fact = aFact();
    const file = await write([fact]);
    const files = factFiles();
    await files.read([file]);
    const path = join(folder, copies()[0] ?? '');
    writeFileSync(path, damage(await readFile(path)));
    expect(await files.read([file])).toEqual([fact]);
    expect(objects.gets).toHaveLength(2);
  });

  test('causes an error if the store has another file under its name', async () => {
    const [file, other] = await Promise.all([write([aFact()]), write([aFact({ sessionKey: 2n }), aFact()])]);
    objects.stored.set(factObjectKey(file), objects.stored.get(factObjectKey(other)) ?? new Uint8Array());
    await expect(factFiles().count([file], always, ['os'], 9)).rejects.toThrow('is damaged');
    expect(counted).toEqual(['FactFilesUnreadable']);
  });

  test('causes an error if its size or hash differs from the manifest', async () => {
    const file = await write([aFact()]);
    await expect(factFiles().findBySessionKeys([{ ...file, bytes: file.bytes + 1 }], [1n])).rejects.toThrow(
      'is damaged',
    );
    await expect(factFiles().findBySessionKeys([{ ...file, sha256: '' }], [1n])).rejects.toThrow('is damaged');
  });

  test('causes an error if it is not Parquet, even if its size and hash match the manifest', async () => {
    const file = await write([aFact()]);
    const bytes = Buffer.from('PAR1 and nothing else');
    objects.stored.set(factObjectKey(file), bytes);
    const described = { ...file, bytes: bytes.length, sha256: sha256(bytes) };
    for (let run = 0; run < 2; run++) await expect(factFiles().read([described])).rejects.toThrow();
    expect(counted).toEqual(['FactFilesUnreadable', 'FactFilesUnreadable']);
    expect(await factFiles().read([await write([aFact()])])).toEqual([aFact()]);
  });

  test('without a local copy, causes an error in every method until the store has it again', async () => {
    const file = await write([aFact()]);
    const files = factFiles();
    const { stored } = objects;
    const kept = new Map(stored);
    stored.clear();
    for (const ask of [
      () => files.read([file]),
      () => files.findBySessionKeys([file], [1n]),
      () => files.count([file], always, ['os'], 9),
      () => files.countValues([file], always, 'os', ['linux']),
    ])
      await expect(ask()).rejects.toThrow('There is no object');
    expect(counted).toEqual(Array(4).fill('FactFilesUnreadable'));
    for (const [key, bytes] of kept) stored.set(key, bytes);
    expect(await files.findBySessionKeys([file], [1n])).toEqual([aFact()]);
    expect(counted).toHaveLength(4);
  });

  test('causes neither an error nor a metric if a prefetch does not find it', async () => {
    const file = await write([aFact()]);
    objects.stored.clear();
    factFiles().prefetch([file]);
    factFiles().prefetch([]);
    await vi.waitFor(() => expect(objects.gets).toHaveLength(1), { timeout: 30_000 });
    expect(counted).toEqual([]);
  });
});

describe('local copies', () => {
  const written = (sessionKey: bigint) => write([aFact({ sessionKey })]);

  test('are downloaded once by concurrent readers, and are used again after a restart', async () => {
    const file = await written(1n);
    const files = factFiles();
    await Promise.all([1, 2, 3].map(() => files.findBySessionKeys([file], [1n])));
    await factFiles().findBySessionKeys([file], [1n]);
    expect(objects.gets).toEqual([factObjectKey(file)]);
  });

  test('are downloaded again after they were deleted from the folder', async () => {
    const file = await written(1n);
    const files = factFiles();
    await files.findBySessionKeys([file], [1n]);
    for (const name of copies()) rmSync(join(folder, name));
    expect(await files.findBySessionKeys([file], [1n])).toHaveLength(1);
    expect(objects.gets).toHaveLength(2);
  });

  test('are evicted to make room, the least recently used first, even if an earlier process stored them', async () => {
    const [a, b, c] = await Promise.all([written(1n), written(2n), written(3n)]);
    await factFiles().read([a]);
    const files = factFiles(a.bytes + b.bytes + c.bytes - 1);
    await files.read([b]);
    await files.read([a]);
    await files.read([c]);
    const copiesOf = (...kept: FactFile[]) => kept.map(({ name }) => `${name.replace('/', '-')}.parquet`).sort();
    expect(copies().sort()).toEqual(copiesOf(a, c));
    await factFiles(c.bytes).read([c]);
    expect(copies()).toEqual(copiesOf(c));
  });

  test('are not evicted while they are in use, even if they exceed the limit', async () => {
    const [a, b, c] = await Promise.all([written(1n), written(2n), written(3n)]);
    const cache = createFactFileCache(folder, 1, (file) => objects.get(file.name));
    const paths = await cache.withCopies([a, b], async (inUse) => {
      await cache.withCopies([a, c], async () => undefined);
      expect(inUse.map(existsSync)).toEqual([true, true]);
      return inUse;
    });
    expect(paths.map(existsSync)).toEqual([false, false]);
    expect(copies()).toEqual([]);
  });
});

test('a read is retried once if another process deleted a copy during the read', async () => {
  const file = await write([aFact()]);
  const cache = createFactFileCache(folder, 1_000_000, (wanted) => objects.get(wanted.name));
  let runs = 0;
  const cleaned = async ([path = '']: string[]) => {
    if (++runs < 3) rmSync(path);
    return readFile(path);
  };
  await expect(cache.withCopies([file], cleaned)).rejects.toThrow('ENOENT');
  expect(runs).toBe(2);
  runs = 1;
  expect((await cache.withCopies([file], cleaned)).length).toBe(file.bytes);
  expect(objects.gets).toHaveLength(4);
  const failing = () => Promise.reject(new Error(`run ${++runs}`));
  await expect(cache.withCopies([file], failing)).rejects.toThrow('run 4');
});

test('writing a file deletes old temporary files of crashed processes, and keeps recent temporary files', async () => {
  for (const [name, ageSeconds] of Object.entries({ old: 3_600, new: 5 })) {
    writeFileSync(join(drafts, name), '');
    utimesSync(join(drafts, name), Date.now() / 1_000, Date.now() / 1_000 - ageSeconds);
  }
  await write([aFact()]);
  expect(readdirSync(drafts)).toEqual(['new']);
});

test('if a read could not create the folder of the copies, the next read tries again', async () => {
  const blocked = join(folder, 'blocked');
  writeFileSync(blocked, '');
  const files = createDuckDbFactReader(objects, ignoredMetrics, { folder: join(blocked, 'copies') });
  const file = await write([aFact()]);
  await expect(files.read([file])).rejects.toThrow('ENOTDIR');
  rmSync(blocked);
  expect(await files.read([file])).toHaveLength(1);
});

test('partial copies that a crash left are evicted to make room', async () => {
  writeFileSync(join(folder, 'half'), 'x'.repeat(1_000));
  const file = await write([aFact()]);
  await factFiles(file.bytes + 1_000).findBySessionKeys([file], [1n]);
  expect(readdirSync(folder)).toHaveLength(2);
  await factFiles(file.bytes + 999).findBySessionKeys([file], [1n]);
  expect(readdirSync(folder)).toEqual(copies());
});

test.each([
  "SELECT * FROM read_text('/etc/hostname')",
  "COPY (SELECT 1) TO '/tmp/elsewhere.parquet'",
  "ATTACH '/tmp/elsewhere.db'",
  "SELECT * FROM read_parquet('http://127.0.0.1:1/a.parquet')",
  'INSTALL httpfs',
  'SET enable_external_access = true',
  "SET allowed_directories = ['/']",
])('DuckDB rejects %s', async (sql) => {
  await createSandboxedDuckDb(folder)(async (connection) => {
    await expect(connection.run(sql)).rejects.toThrow(/Permission Error|Cannot change configuration|disabled/);
  });
});

test('DuckDB can be started after an earlier start failed', async () => {
  const blocked = join(folder, 'blocked');
  writeFileSync(blocked, '');
  const connect = createSandboxedDuckDb(join(blocked, 'inside'));
  await expect(connect(async () => 1)).rejects.toThrow('ENOTDIR');
  rmSync(blocked);
  expect(await connect(async () => 1)).toBe(1);
});

test('no temporary file is left if a copy cannot be stored', async () => {
  const file = await write([aFact()]);
  const inTheWay = join(folder, `${file.name.replace('/', '-')}.parquet`);
  mkdirSync(inTheWay);
  writeFileSync(join(inTheWay, 'x'), '');
  await expect(factFiles().read([file])).rejects.toThrow();
  expect(readdirSync(folder)).toEqual([basename(inTheWay)]);
});
