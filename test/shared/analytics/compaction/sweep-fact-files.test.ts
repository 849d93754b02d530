import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../../functions/background/sweep-facts/handler.ts';
import type { Manifest } from '../../../../shared/analytics/facts/manifest.ts';
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
  sweep,
} from '../../../support/analytics/compaction.ts';

const read = ({ manifests }: FactStores) => manifests.read(FUNNEL);
const put = async (stores: FactStores, overrides: Partial<Manifest>) => {
  const before = await read(stores);
  await stores.manifests.replaceIfUnchanged(FUNNEL, before, { ...before, ...overrides });
};
const write = async ({ writer }: FactStores) => (await writer.write(FUNNEL, [aFact()], 0)).name;

/** A funnel with one base file, and one file that was retired just now. */
async function compacted() {
  const stores = factStores();
  await addFresh(stores.fresh, FUNNEL, [aFact()]);
  await minor(stores);
  await major(stores);
  const { files, retired } = await read(stores);
  return { stores, listed: files[0]?.name ?? '', retired: retired[0]?.name ?? '' };
}

describe('a retired file', () => {
  test('is deleted after an hour and removed from the manifest', async () => {
    const { stores, listed, retired } = await compacted();
    stores.clock.pass(HOUR_MS - 1);
    expect(await sweep(stores)).toEqual([]);
    expect(stores.removed).toEqual([]);
    stores.clock.pass(1);
    expect(await sweep(stores)).toEqual([{ funnelId: FUNNEL, outcome: 'swept', removed: 1, orphans: 0 }]);
    expect(stores.removed).toEqual([{ name: retired, purgeVersions: false }]);
    expect(stores.stored()).toEqual([listed]);
    expect((await read(stores)).retired).toEqual([]);
    expect(await sweep(stores)).toEqual([]);
  });

  test('is deleted with all its versions if the manifest sets purgeVersions for the file', async () => {
    const { stores, retired } = await compacted();
    await put(stores, { retired: [{ name: retired, retiredMs: MAY_31, purgeVersions: true }] });
    stores.clock.pass(HOUR_MS);
    await sweep(stores);
    expect(stores.removed).toEqual([{ name: retired, purgeVersions: true }]);
  });

  test('is deleted again with all its versions if an erasure happens during the first deletion', async () => {
    const { stores, retired } = await compacted();
    stores.clock.pass(HOUR_MS);
    let erased = false;
    const remove: typeof stores.swept.remove = async (...given) => {
      await stores.swept.remove(...given);
      const { generation } = await read(stores);
      const purgeVersions = (await read(stores)).retired.map((file) => ({ ...file, purgeVersions: true as const }));
      if (!erased) await put(stores, { generation: generation + 1, retired: purgeVersions });
      erased = true;
    };
    expect(await sweep({ ...stores, swept: { ...stores.swept, remove } })).toMatchObject([{ removed: 1 }]);
    expect(stores.removed).toEqual([
      { name: retired, purgeVersions: false },
      { name: retired, purgeVersions: true },
    ]);
    expect((await read(stores)).retired).toEqual([]);
  });

  test('with a retirement time in the far future is deleted an hour after the next sweep', async () => {
    const { stores, retired } = await compacted();
    await put(stores, { retired: [{ name: retired, retiredMs: MAY_31 + 900 * DAY_MS }] });
    await sweep(stores);
    expect(stores.removed).toEqual([]);
    stores.clock.pass(HOUR_MS);
    await sweep(stores);
    expect(stores.removed).toEqual([{ name: retired, purgeVersions: false }]);
  });

  test('stays in the manifest if its deletion fails, and is deleted by the next run', async () => {
    const { stores, retired } = await compacted();
    stores.clock.pass(HOUR_MS);
    const remove = () => Promise.reject(new Error('no network'));
    expect(await sweep({ ...stores, swept: { ...stores.swept, remove } })).toMatchObject([{ outcome: 'failed' }]);
    expect((await read(stores)).retired).toMatchObject([{ name: retired }]);
    await sweep(stores);
    expect(stores.stored()).not.toContain(retired);
  });
});

test('a file in `files` of the manifest is never deleted, even if `retired` also contains it', async () => {
  const { stores, listed } = await compacted();
  await put(stores, { retired: [{ name: listed, retiredMs: 0, purgeVersions: true }] });
  stores.clock.pass(900 * DAY_MS);
  await sweep(stores);
  expect(stores.stored()).toContain(listed);
  expect(stores.removed.map(({ name }) => name)).not.toContain(listed);
});

describe('a file that is not in the manifest', () => {
  test('is retired after a day and deleted an hour later', async () => {
    const stores = factStores();
    const orphan = await write(stores);
    stores.clock.pass(DAY_MS - 1);
    expect(await sweep(stores)).toEqual([]);
    stores.clock.pass(1);
    expect(await sweep(stores)).toEqual([{ funnelId: FUNNEL, outcome: 'swept', removed: 0, orphans: 1 }]);
    expect(stores.stored()).toEqual([orphan]);
    stores.clock.pass(HOUR_MS);
    await sweep(stores);
    expect(stores.removed).toEqual([{ name: orphan, purgeVersions: false }]);
  });

  test('is retired by the next run if a run has reached its limit of 500 files per funnel', async () => {
    const stores = factStores();
    for (let left = 0; left < 501; left++) await write(stores);
    const orphans: unknown[] = [];
    for (const passMs of [DAY_MS, HOUR_MS, HOUR_MS]) {
      stores.clock.pass(passMs);
      orphans.push(...(await sweep(stores)));
    }
    expect(orphans).toMatchObject([
      { removed: 0, orphans: 500 },
      { removed: 500, orphans: 1 },
      { removed: 1, orphans: 0 },
    ]);
  });

  test('is deleted with all its versions if the funnel had an erasure', async () => {
    const stores = factStores();
    await put(stores, { generation: 1 });
    const orphan = await write(stores);
    for (const passMs of [DAY_MS, HOUR_MS]) {
      stores.clock.pass(passMs);
      await sweep(stores);
    }
    expect(stores.removed).toEqual([{ name: orphan, purgeVersions: true }]);
  });

  test.each([
    ['its writer', 'storeMs'],
    ['the store', 'ms'],
  ] as const)('is not retired if the clock of %s was two days behind when the file was written', async (_, other) => {
    const stores = factStores();
    const { [other]: now } = stores.clock;
    stores.clock.pass(-2 * DAY_MS);
    stores.clock[other] = now;
    await write(stores);
    stores.clock.ms = now;
    expect(await sweep(stores)).toEqual([]);
  });

  test('is not retired if a commit adds it to the manifest while the sweeper runs', async () => {
    const stores = factStores();
    const file = await stores.writer.write(FUNNEL, [aFact()], 0);
    stores.clock.pass(DAY_MS);
    let looks = 0;
    const manifests = {
      ...stores.manifests,
      read: async (funnelId: string) => {
        const found = await stores.manifests.read(funnelId);
        if (++looks === 1) await put(stores, { files: [{ ...file, level: '1' }] });
        return found;
      },
    };
    expect(await sweep({ ...stores, manifests })).toEqual([]);
    expect(await read(stores)).toMatchObject({ files: [{ name: file.name }], retired: [] });
  });
});

test('if the sweep of a funnel fails, the other funnels are swept, the metrics are recorded, and the run fails', async () => {
  const stores = factStores();
  await write(stores);
  await stores.writer.write(OTHER, [aFact()], 0);
  stores.clock.pass(DAY_MS);
  const manifests = {
    ...stores.manifests,
    read: (funnelId: string) =>
      funnelId === FUNNEL ? Promise.reject(new Error('throttled')) : stores.manifests.read(funnelId),
  };
  const lines: string[] = [];
  const log = createJsonLogger({}, (line) => lines.push(line));
  const run = createHandler({ ...stores, manifests, fileStore: stores.swept, log });
  await expect(run(undefined, { getRemainingTimeInMillis: () => 900_000 })).rejects.toThrow('Failed funnels: 1.');
  expect((await stores.manifests.read(OTHER)).retired).toHaveLength(1);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { FactFiles_removed: 0 },
    { FactFiles_orphaned: 1 },
    { level: 'error', funnelId: FUNNEL },
    { level: 'info', funnelId: OTHER },
  ]);
});

test('the sweeper of fact files fails and deletes nothing if less than 30 seconds remain when it starts', async () => {
  const { stores } = await compacted();
  stores.clock.pass(HOUR_MS);
  const run = createHandler({ ...stores, fileStore: stores.swept, log: createJsonLogger({}, () => undefined) });
  await expect(run(undefined, { getRemainingTimeInMillis: () => 29_000 })).rejects.toThrow('Failed funnels: 1.');
  expect(stores.removed).toEqual([]);
});
