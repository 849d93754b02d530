import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../../functions/background/compact-base/handler.ts';
import { importFacts } from '../../../../infra/local/seed/import-facts.ts';
import { isMajorCompactionDue, runMajorCompactions } from '../../../../shared/analytics/compaction/major-compaction.ts';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import { EMPTY_MANIFEST, isBase, isLevel1, type ListedFile } from '../../../../shared/analytics/facts/manifest.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';
import { addFresh, aFact, DAY_MS, MAY_31 } from '../../../support/analytics/analytics.ts';
import {
  type FactStores,
  FUNNEL,
  factStores,
  HOUR_MS,
  major,
  minor,
  OTHER,
} from '../../../support/analytics/compaction.ts';

const sessions = (...keys: number[]): Fact[] => keys.map((key) => aFact({ sessionKey: BigInt(key) }));
const listedIn = async ({ manifests }: FactStores, funnelId = FUNNEL) => manifests.read(funnelId);
const names = (files: readonly { name: string }[]) => files.map(({ name }) => name);

/** Three base files with the sessions 0 to 2, 10 to 12 and 20 to 22, and a level 1 file with the given sessions. */
async function storesWithLevel1(...keys: number[]): Promise<FactStores> {
  const stores = factStores();
  await importFacts(stores, FUNNEL, sessions(0, 1, 2, 10, 11, 12, 20, 21, 22), { fileSessionsMax: 3 });
  await addLevel1File(stores, ...keys);
  return stores;
}

async function addLevel1File(stores: FactStores, ...keys: number[]): Promise<void> {
  await addFresh(stores.fresh, FUNNEL, sessions(...keys));
  await minor(stores, 1_000);
}

test('a major compaction replaces a base file if level 1 has facts in the file’s range, and keeps other base files', async () => {
  const stores = await storesWithLevel1(11);
  const before = await listedIn(stores);
  const [first, second, third, level1File] = names(before.files);
  expect(await major(stores)).toEqual([
    { funnelId: FUNNEL, outcome: 'compacted', level1Files: 1, replaced: 1, written: 1 },
  ]);
  const after = await listedIn(stores);
  expect(names(after.files).slice(0, 2)).toEqual([first, third]);
  expect(after.files[2]).toMatchObject({ level: 'base', factCount: 3, completeUntilMs: MAY_31 });
  expect(new Set(names(after.retired))).toEqual(new Set([second, level1File]));
  expect(after.retired.every(({ retiredMs }) => retiredMs === MAY_31)).toBe(true);
  expect(after.generation).toBe(before.generation);
  for (const name of names(before.files)) expect(stores.stored()).toContain(name);
});

test('a major compaction adds new sessions to the base, with keys before, between and after the existing keys', async () => {
  const stores = await storesWithLevel1(-5, 5, 15, 99);
  await major(stores);
  const { files } = await listedIn(stores);
  expect(files.every(isBase)).toBe(true);
  const facts = await stores.factReader.read(files);
  expect(facts.map(({ sessionKey }) => Number(sessionKey)).sort((a, b) => a - b)).toEqual([
    -5, 0, 1, 2, 5, 10, 11, 12, 15, 20, 21, 22, 99,
  ]);
});

describe('a major compaction', () => {
  /** Runs a major compaction. `happens` runs after the first new files are written and before the commit. */
  async function meanwhile(stores: FactStores, happens: () => Promise<unknown>) {
    let happened: Promise<unknown> | undefined;
    const rewrite: typeof stores.rewriter.rewrite = async (wanted) => {
      const files = await stores.rewriter.rewrite(wanted);
      happened ??= happens();
      await happened;
      return files;
    };
    return major({ ...stores, rewriter: { rewrite } });
  }
  const supersededResult = [{ funnelId: FUNNEL, outcome: 'superseded' }];

  test('keeps a level 1 file that is added during the compaction', async () => {
    const stores = await storesWithLevel1(11);
    expect(await meanwhile(stores, () => addLevel1File(stores, 12))).toMatchObject([{ outcome: 'compacted' }]);
    const { files } = await listedIn(stores);
    expect(files.filter(isLevel1)).toHaveLength(1);
    expect(files.filter(isBase)).toHaveLength(3);
  });

  test.each<[string, (stores: FactStores) => Promise<unknown>]>([
    ['another compaction of the same files is committed first', (stores) => major(stores)],
    [
      'the generation changes',
      async (stores) => {
        const read = await listedIn(stores);
        await stores.manifests.replaceIfUnchanged(FUNNEL, read, { ...read, generation: read.generation + 1 });
      },
    ],
    [
      'another base file is added',
      async (stores) => {
        const read = await listedIn(stores);
        const file = { ...(await stores.writer.write(FUNNEL, sessions(50), 0)), level: 'base' as const };
        await stores.manifests.replaceIfUnchanged(FUNNEL, read, { ...read, files: [...read.files, file] });
      },
    ],
    ['an hour passes before its commit', async (stores) => stores.clock.pass(HOUR_MS)],
  ])('is superseded, and commits and removes nothing, if %s', async (_, happens) => {
    const stores = await storesWithLevel1(11);
    let left: unknown;
    expect(
      await meanwhile(stores, async () => {
        await happens(stores);
        left = await listedIn(stores);
      }),
    ).toEqual(supersededResult);
    expect(await listedIn(stores)).toEqual(left);
    expect(stores.removed).toEqual([]);
  });

  test('is superseded instead of failing if another compaction has replaced its files', async () => {
    const stores = await storesWithLevel1(11);
    const rewrite = async () => {
      await major(stores);
      throw new Error('There is no such file.');
    };
    expect(await major({ ...stores, rewriter: { rewrite } })).toEqual(supersededResult);
  });

  test('recognizes its own commit if the commit succeeded but was reported as a conflict', async () => {
    const stores = await storesWithLevel1(11);
    const replaceIfUnchanged: typeof stores.manifests.replaceIfUnchanged = async (...given) => {
      await stores.manifests.replaceIfUnchanged(...given);
      return false;
    };
    const done = await major({ ...stores, manifests: { ...stores.manifests, replaceIfUnchanged } });
    expect(done).toMatchObject([{ outcome: 'compacted' }]);
    const { files, retired } = await listedIn(stores);
    expect([files.length, retired.length]).toEqual([3, 2]);
  });

  test('is reported as failed, and retires no file, if the time of the run ends before the commit', async () => {
    const stores = await storesWithLevel1(1, 11, 21);
    const left = [900_000, 900_000, 59_000];
    const compacted = await runMajorCompactions(stores, { isDue: () => true, remainingMs: () => left.shift() ?? 0 });
    expect(compacted).toMatchObject([
      {
        outcome: 'failed',
        cause: expect.objectContaining({
          message: expect.stringContaining(`before the new base of the funnel ${FUNNEL} was written`),
        }),
      },
    ]);
    expect((await listedIn(stores)).retired).toEqual([]);
  });
});

describe('isMajorCompactionDue', () => {
  const file = async (level: ListedFile['level'], sessionCount: number): Promise<ListedFile> => {
    const { writer } = factStores();
    return { ...(await writer.write(FUNNEL, [aFact()], 0)), level, factCount: sessionCount };
  };
  const manifest = async (base: number, ...level1: number[]) => ({
    ...EMPTY_MANIFEST,
    files: await Promise.all([...(base > 0 ? [file('base', base)] : []), ...level1.map((of) => file('1', of))]),
  });
  const files = (count: number) => Array.from({ length: count }, () => 1);

  test.each<[string, number[], number, boolean]>([
    ['false for 64 level 1 files that are less than a day old', [0, ...files(64)], 0, false],
    ['true for 65 level 1 files', [0, ...files(65)], 0, true],
    ['false for 10,000 level 1 facts that are less than a day old, without a base', [0, 10_000], 0, false],
    ['true for 10,001 level 1 facts without a base', [0, 10_001], 0, true],
    [
      'false for 20,000 level 1 facts that are less than a day old, and 100,000 base facts',
      [100_000, 20_000],
      0,
      false,
    ],
    ['true for 20,001 level 1 facts and 100,000 base facts', [100_000, 20_001], 0, true],
    [
      'false for 200,000 level 1 facts that are less than a day old, and a large base',
      [9_000_000, 150_000, 50_000],
      0,
      false,
    ],
    ['true for more than 200,000 level 1 facts and a large base', [9_000_000, 150_000, 50_001], 0, true],
    ['false if the only level 1 file is small and less than a day old', [100, 1], DAY_MS - 1, false],
    ['true if the level 1 file is a day old', [100, 1], DAY_MS, true],
    ['true if the time of the level 1 file is a day in the future', [100, 1], -DAY_MS, true],
    ['false for an old funnel without level 1 files', [100], 9 * DAY_MS, false],
  ])('returns %s', async (_, [base = 0, ...level1], ageMs, due) => {
    expect(isMajorCompactionDue(await manifest(base, ...level1), MAY_31 + ageMs)).toBe(due);
  });

  test('delays the compaction of a funnel without new events until its level 1 file is a day old', async () => {
    const stores = await storesWithLevel1(11);
    expect(await runMajorCompactions(stores)).toEqual([]);
    stores.clock.pass(DAY_MS);
    expect(await runMajorCompactions(stores)).toMatchObject([{ outcome: 'compacted' }]);
    expect(await stores.manifests.listFunnelsWithLevel1Files()).toEqual([]);
  });
});

describe('the function compact-base', () => {
  const context = (leftMs: number) => ({ getRemainingTimeInMillis: () => leftMs });
  const quiet = createJsonLogger({}, () => undefined);

  test('records the number of level 1 files in Facts_level1FilesMax, and logs the result of the compaction', async () => {
    const stores = await storesWithLevel1(11);
    stores.clock.pass(DAY_MS);
    const lines: string[] = [];
    await createHandler({ ...stores, log: createJsonLogger({}, (line) => lines.push(line)) })(
      undefined,
      context(900_000),
    );
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { Facts_level1FilesMax: 1 },
      { message: 'A major compaction ended.', funnelId: FUNNEL, outcome: 'compacted' },
    ]);
  });

  test('if the compaction of a funnel fails, compacts the other funnels, and then throws', async () => {
    const stores = await storesWithLevel1(11);
    await addFresh(stores.fresh, OTHER, sessions(1));
    await minor(stores);
    stores.clock.pass(DAY_MS);
    const rewrite: typeof stores.rewriter.rewrite = (wanted) =>
      wanted.funnelId === FUNNEL ? Promise.reject(new Error('is damaged')) : stores.rewriter.rewrite(wanted);
    const before = await listedIn(stores);
    const run = createHandler({ ...stores, rewriter: { rewrite }, log: quiet });
    await expect(run(undefined, context(900_000))).rejects.toThrow('Failed funnels: 1.');
    expect(await listedIn(stores)).toEqual(before);
    expect((await listedIn(stores, OTHER)).files).toMatchObject([{ level: 'base' }]);
  });

  test('compacts the other funnels if a manifest is unreadable, and then throws', async () => {
    const stores = await storesWithLevel1(11);
    await addFresh(stores.fresh, OTHER, sessions(1));
    await minor(stores);
    stores.clock.pass(DAY_MS);
    const read: typeof stores.manifests.read = (funnelId) =>
      funnelId === FUNNEL ? Promise.reject(new Error('is damaged')) : stores.manifests.read(funnelId);
    const run = createHandler({ ...stores, manifests: { ...stores.manifests, read }, log: quiet });
    await expect(run(undefined, context(900_000))).rejects.toThrow('Failed funnels: 1.');
    expect((await listedIn(stores, OTHER)).files).toMatchObject([{ level: 'base' }]);
  });

  test('starts no compaction if less than 60 seconds remain', async () => {
    const stores = await storesWithLevel1(11);
    stores.clock.pass(DAY_MS);
    const before = stores.stored();
    await createHandler({ ...stores, log: quiet })(undefined, context(59_000));
    expect(stores.stored()).toEqual(before);
  });
});

test('a major compaction fails if base files of the funnel overlap', async () => {
  const stores = await storesWithLevel1(11);
  const read = await listedIn(stores);
  const overlapping = { ...(await stores.writer.write(FUNNEL, sessions(1, 15), 0)), level: 'base' as const };
  await stores.manifests.replaceIfUnchanged(FUNNEL, read, { ...read, files: [...read.files, overlapping] });
  expect(await major(stores)).toMatchObject([
    {
      outcome: 'failed',
      cause: new Error(
        `The base files of the funnel ${FUNNEL} overlap, so sessions may be counted twice. ` +
          'Rebuild its facts with "npm run admin -- analytics rebuild".',
      ),
    },
  ]);
});
