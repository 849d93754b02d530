import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHandler } from '../../../../functions/background/compact-facts/handler.ts';
import {
  MINOR_COMPACTION_CONCURRENCY,
  runMinorCompactions,
} from '../../../../shared/analytics/compaction/minor-compaction.ts';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import { createJsonLogger } from '../../../../shared/platform/logger.ts';
import {
  addFresh,
  aFact,
  createMemoryAnalytics,
  createMemoryFactFiles,
  createMemoryFreshFacts,
  DAY_MS,
  MAY_31,
} from '../../../support/analytics/analytics.ts';

const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';
const OTHER = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a02';
const clock = { now: () => MAY_31 };
const context = { getRemainingTimeInMillis: () => 300_000 };
const quiet = createJsonLogger({}, () => undefined);

type Stores = ReturnType<typeof createMemoryAnalytics>;

test('two concurrent minor compactions of a funnel both commit their files', async () => {
  const stores = createMemoryAnalytics();
  await addFresh(stores.fresh, FUNNEL, [aFact()]);
  let waitingCommits = 0;
  const both = Promise.withResolvers<void>();
  const manifests = {
    ...stores.manifests,
    replaceIfUnchanged: async (...given: Parameters<typeof stores.manifests.replaceIfUnchanged>) => {
      if (++waitingCommits === 2) both.resolve();
      await both.promise;
      return stores.manifests.replaceIfUnchanged(...given);
    },
  };
  const compactions = await Promise.all([1, 2].map(() => runMinorCompactions({ ...stores, manifests, clock })));
  expect(compactions.flat().map(({ outcome }) => outcome)).toEqual(['compacted', 'compacted']);
  expect((await stores.manifests.read(FUNNEL)).files.map(({ level }) => level)).toEqual(['1', '1']);
});

test('a minor compaction adds its file to the manifest only once if the commit succeeded but was reported as a conflict', async () => {
  const stores = createMemoryAnalytics();
  await addFresh(stores.fresh, FUNNEL, [aFact()]);
  const replaceIfUnchanged: typeof stores.manifests.replaceIfUnchanged = async (...given) => {
    await stores.manifests.replaceIfUnchanged(...given);
    return false;
  };
  await runMinorCompactions({ ...stores, manifests: { ...stores.manifests, replaceIfUnchanged }, clock });
  expect((await stores.manifests.read(FUNNEL)).files).toHaveLength(1);
  expect(await stores.fresh.listPendingFunnels()).toEqual([]);
});

test('facts that arrive while a minor compaction writes its last file remain fresh', async () => {
  const stores = createMemoryAnalytics();
  await addFresh(stores.fresh, FUNNEL, [aFact()]);
  const write: typeof stores.writer.write = async (...given) => {
    await addFresh(stores.fresh, FUNNEL, [aFact({ sessionKey: 2n })]);
    return stores.writer.write(...given);
  };
  await runMinorCompactions({ ...stores, writer: { write }, clock });
  expect((await stores.fresh.read(FUNNEL)).flatMap(({ facts }) => facts)).toEqual([aFact({ sessionKey: 2n })]);
});

describe('a funnel', () => {
  const outcomeFor = async (waitedMs: number, facts: number) => {
    const fresh = createMemoryFreshFacts(MAY_31 - waitedMs);
    await addFresh(
      fresh,
      FUNNEL,
      Array.from({ length: facts }, (_, at) => aFact({ sessionKey: BigInt(at) })),
    );
    return (await runMinorCompactions({ ...createMemoryAnalytics(), fresh, clock })).map(({ outcome }) => outcome);
  };

  test.each([
    [60_000, 1],
    [0, 5_000],
  ])('is compacted if the age of its oldest fact is %i ms and its number of facts is %i', async (waitedMs, facts) => {
    expect(await outcomeFor(waitedMs, facts)).toEqual(['compacted']);
  });

  test('is not compacted if its oldest fact is 59,999 ms old and it has 4,999 facts', async () => {
    expect(await outcomeFor(59_999, 4_999)).toEqual([]);
  });
});

test('a funnel that is listed as pending but has no fresh facts gets no file', async () => {
  const stores = createMemoryAnalytics();
  const pending = async () => [{ funnelId: FUNNEL, oldestMs: 0, factCount: 3 }];
  const compactions = await runMinorCompactions({
    ...stores,
    fresh: { ...stores.fresh, listPendingFunnels: pending },
    clock,
  });
  expect(compactions).toEqual([{ funnelId: FUNNEL, outcome: 'empty' }]);
  expect((await stores.manifests.read(FUNNEL)).version).toBe(0);
});

test('if one worker stops because no time remains, the funnels that it did not take are left to the other workers', async () => {
  const stores = createMemoryAnalytics();
  const funnels = [FUNNEL, OTHER, 'a third'];
  const pending = async () => funnels.map((funnelId) => ({ funnelId, oldestMs: 0, factCount: 3 }));
  const left = [300_000, 0];
  const run = { remainingMs: () => left.shift() ?? 300_000 };
  const compactions = await runMinorCompactions(
    { ...stores, fresh: { ...stores.fresh, listPendingFunnels: pending }, clock },
    run,
  );
  expect(compactions).toEqual(funnels.map((funnelId) => ({ funnelId, outcome: 'empty' })));
});

test('if the compaction of a funnel fails, the other funnels are compacted, and the run fails at the end', async () => {
  const stores = createMemoryAnalytics();
  await addFresh(stores.fresh, FUNNEL, [aFact()]);
  await addFresh(stores.fresh, OTHER, [aFact()]);
  const { write } = createMemoryFactFiles();
  const writer = {
    write: async (funnelId: string, facts: readonly Fact[], completeUntilMs: number) => {
      if (funnelId === FUNNEL) throw new Error('the disk is full');
      return write(funnelId, facts, completeUntilMs);
    },
  };
  const logged: unknown[] = [];
  const log = { ...quiet, error: (_: string, cause: unknown, fields: unknown) => void logged.push([cause, fields]) };
  await expect(createHandler({ ...stores, writer, clock, log })(undefined, context)).rejects.toThrow(
    'A minor compaction failed. Failed funnels: 1.',
  );
  expect(logged).toEqual([[new Error('the disk is full'), { funnelId: FUNNEL }]]);
  expect(await stores.fresh.read(FUNNEL)).toHaveLength(1);
  expect(await stores.fresh.read(OTHER)).toEqual([]);
  expect((await stores.manifests.read(OTHER)).files).toHaveLength(1);
});

test('a run begins with the funnels that have the oldest facts, and compacts only a few funnels at a time', async () => {
  const stores = createMemoryAnalytics();
  const ids = Array.from({ length: 3 * MINOR_COMPACTION_CONCURRENCY }, () => randomUUID());
  for (const id of ids) await addFresh(stores.fresh, id, [aFact({ sessionKey: 1n })]);
  const pending = async () => ids.map((funnelId, at) => ({ funnelId, oldestMs: -at, factCount: 1 }));
  const [begun, requestedSizes]: [string[], Set<number>] = [[], new Set()];
  let [busy, most] = [0, 0];
  const readBatch: typeof stores.fresh.readBatch = async (id, factsMax) => {
    begun.push(id);
    requestedSizes.add(factsMax);
    most = Math.max(most, ++busy);
    return stores.fresh.readBatch(id, factsMax);
  };
  const remove: typeof stores.fresh.remove = async (...given) => {
    busy--;
    return stores.fresh.remove(...given);
  };
  const compactions = await runMinorCompactions(
    { ...stores, fresh: { ...stores.fresh, listPendingFunnels: pending, readBatch, remove } },
    { factsInMemoryMax: 80_000 },
  );
  expect(begun).toEqual(ids.toReversed());
  expect([most, busy, requestedSizes]).toEqual([
    MINOR_COMPACTION_CONCURRENCY,
    0,
    new Set([80_000 / MINOR_COMPACTION_CONCURRENCY]),
  ]);
  expect(compactions.map(({ funnelId, outcome }) => [funnelId, outcome])).toEqual(begun.map((id) => [id, 'compacted']));
});

test('a run of minor compactions succeeds if no funnel fails', async () => {
  const stores = createMemoryAnalytics();
  await addFresh(stores.fresh, FUNNEL, [aFact()]);
  await createHandler({ ...stores, clock, log: quiet })(undefined, context);
  expect(await stores.fresh.listPendingFunnels()).toEqual([]);
});

describe('pending facts', () => {
  const pending = async (sessions: number) => {
    const stores = createMemoryAnalytics();
    for (let key = 0; key < sessions; key++) await addFresh(stores.fresh, FUNNEL, [aFact({ sessionKey: BigInt(key) })]);
    return stores;
  };
  const listed = async (stores: Stores) => (await stores.manifests.read(FUNNEL)).files;

  test('are written to files of limited size; only the last file gets a new completeUntilMs', async () => {
    const stores = await pending(5);
    const [done] = await runMinorCompactions(stores, { factsInMemoryMax: 2 });
    expect(done).toEqual({ funnelId: FUNNEL, outcome: 'compacted', facts: 5, files: 3 });
    const files = await listed(stores);
    expect(files.map(({ factCount }) => factCount)).toEqual([2, 2, 1]);
    expect(files.map(({ completeUntilMs }) => completeUntilMs)).toEqual([0, 0, MAY_31]);
  });

  test('that arrive after a compaction are written to new files; only the last of them gets a new completeUntilMs', async () => {
    const stores = await pending(1);
    await runMinorCompactions(stores);
    for (const key of [7n, 8n]) await addFresh(stores.fresh, FUNNEL, [aFact({ sessionKey: key })]);
    await runMinorCompactions({ ...stores, clock: { now: () => MAY_31 + 60_000 } }, { factsInMemoryMax: 1 });
    const until = (await listed(stores)).map(({ completeUntilMs }) => completeUntilMs - MAY_31);
    expect(until).toEqual([0, 0, 60_000]);
  });

  test('that fit into one file are written to it; its completeUntilMs is the time at which the read began', async () => {
    const stores = await pending(1);
    const ticking = { ms: MAY_31, now: () => ticking.ms };
    const readBatch: typeof stores.fresh.readBatch = async (...given) => {
      ticking.ms += 5_000;
      return stores.fresh.readBatch(...given);
    };
    await runMinorCompactions({ ...stores, fresh: { ...stores.fresh, readBatch }, clock: ticking });
    expect((await listed(stores)).map(({ completeUntilMs }) => completeUntilMs)).toEqual([MAY_31]);
  });

  test('are compacted until the time of the run ends, and the remaining facts are not compacted', async () => {
    const stores = await pending(3);
    const left = [300_000, 19_999];
    const run = { factsInMemoryMax: 1, remainingMs: () => left.shift() ?? 0 };
    expect(await runMinorCompactions(stores, run)).toMatchObject([{ outcome: 'out_of_time', files: 1 }]);
    expect(await stores.fresh.read(FUNNEL)).toHaveLength(2);
    expect(await runMinorCompactions(stores, { ...run, remainingMs: () => 0 })).toEqual([]);
    expect(await listed(stores)).toHaveLength(1);
  });

  test('are reported as the age of the oldest fact in milliseconds, or as 0 if there is no fact', async () => {
    const stores = createMemoryAnalytics(MAY_31 - 90_000);
    const reported: number[] = [];
    const onOldestPending = (ageMs: number) => void reported.push(ageMs);
    await runMinorCompactions(stores, { onOldestPending });
    await addFresh(stores.fresh, FUNNEL, [aFact()]);
    await runMinorCompactions(stores, { onOldestPending });
    expect(reported).toEqual([0, 90_000]);
  });
});

test('if the generation changes while a file is written, the file is not listed and its facts remain fresh', async () => {
  const stores = createMemoryAnalytics();
  await addFresh(stores.fresh, FUNNEL, [aFact()]);
  const write: typeof stores.writer.write = async (...given) => {
    const read = await stores.manifests.read(FUNNEL);
    await stores.manifests.replaceIfUnchanged(FUNNEL, read, { ...read, generation: read.generation + 1 });
    return stores.writer.write(...given);
  };
  expect(await runMinorCompactions({ ...stores, writer: { write } })).toMatchObject([
    { outcome: 'superseded', files: 0 },
  ]);
  expect((await stores.manifests.read(FUNNEL)).files).toEqual([]);
  expect(await stores.fresh.read(FUNNEL)).toHaveLength(1);
});

test('fresh facts are compacted even if the clock of their writer was far ahead', async () => {
  const stores = createMemoryAnalytics(MAY_31 + 900 * DAY_MS);
  await addFresh(stores.fresh, FUNNEL, [aFact()]);
  expect(await runMinorCompactions(stores)).toMatchObject([{ outcome: 'compacted' }]);
});
