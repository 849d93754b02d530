import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../../shared/analytics/facts/fact.ts';
import type { FactFile } from '../../../../shared/analytics/facts/fact-files.ts';
import { createDirtySessionCache } from '../../../../shared/analytics/queries/dirty-sessions.ts';
import { type Snapshot, type SnapshotPorts, takeSnapshot } from '../../../../shared/analytics/queries/snapshot.ts';
import { aFact, asNewProcess, MAY_31, someEvent } from '../../../support/analytics/analytics.ts';
import { changingFunnel, FUNNEL } from '../../../support/analytics/changing-funnel.ts';

const take = (ports: SnapshotPorts) => takeSnapshot(ports, FUNNEL);
/** Takes a snapshot as a process without a cache does. */
const takeCold = (ports: SnapshotPorts) => takeSnapshot(asNewProcess(ports), FUNNEL);

/** The content of a snapshot, independent of the order in which facts were merged. */
const toComparable = ({ base, changedSessions, firstSessionMs }: Snapshot) => ({
  base: base.map(({ name }) => name),
  changes: new Map(changedSessions.map(({ before, after }) => [after.sessionKey, { before, after }])),
  firstSessionMs,
});
const mergedFacts = ({ changedSessions }: Snapshot) => changedSessions.map((change) => change.after);

describe('the first read of a funnel', () => {
  test('reads the generation from the manifest, then the fresh facts, then the manifest again, then files', async () => {
    const { ports, list, add, called } = changingFunnel();
    await list('base', aFact());
    await list('1', aFact({ started: true }));
    await add(aFact({ completed: true }));
    await take(ports);
    expect(called()).toEqual([
      'manifests.read',
      'fresh.read',
      'manifests.read',
      'files.read',
      'files.findBySessionKeys',
    ]);
  });

  test('prefetches all files that the manifest lists', async () => {
    const { ports, list } = changingFunnel();
    await list('base', aFact());
    await list('1', aFact({ started: true }));
    const prepared: string[][] = [];
    const files = {
      ...ports.factReader,
      prefetch: (listed: readonly { name: string }[]) => void prepared.push(listed.map(({ name }) => name)),
    };
    await takeSnapshot(asNewProcess({ ...ports, factReader: files }), FUNNEL);
    await new Promise(setImmediate);
    const { files: listed } = await ports.manifests.read(FUNNEL);
    expect(listed).toHaveLength(2);
    expect(prepared).toEqual([listed.map(({ name }) => name)]);
  });
});

describe('a later read', () => {
  test('reads new level 1 files, and does not read earlier level 1 files again', async () => {
    const { ports, list, add, called } = changingFunnel();
    await list('base', aFact({ sessionKey: 1n }), aFact({ sessionKey: 2n }));
    await list('1', aFact({ sessionKey: 1n, started: true }));
    await take(ports);
    called();
    await take(ports);
    expect(called()).toEqual(['fresh.read', 'manifests.read', 'files.findBySessionKeys']);
    await add(aFact({ sessionKey: 2n, started: true }));
    expect(mergedFacts(await take(ports))).toHaveLength(2);
    expect(called()).toEqual(['fresh.read', 'manifests.read', 'files.findBySessionKeys']);
    await list('1', aFact({ sessionKey: 2n, completed: true }));
    await take(ports);
    expect(called()).toEqual(['fresh.read', 'manifests.read', 'files.read', 'files.findBySessionKeys']);
  });

  test('does not decode cached items again', async () => {
    const { ports } = changingFunnel();
    let decoded = 0;
    const item = {
      ref: 'a',
      get facts() {
        decoded++;
        return [aFact()];
      },
    };
    const known = asNewProcess({ ...ports, fresh: { read: async () => [item] } });
    for (let run = 0; run < 3; run++) expect(mergedFacts(await take(known))).toEqual([aFact()]);
    expect(decoded).toBe(1);
  });

  test('decodes an item again if the previous read did not find the item', async () => {
    const { ports } = changingFunnel();
    let decoded = 0;
    let listed = true;
    const item = {
      ref: 'a',
      get facts() {
        decoded++;
        return [aFact()];
      },
    };
    const coming = asNewProcess({ ...ports, fresh: { read: async () => (listed ? [item] : []) } });
    for (listed of [true, false, true]) expect(mergedFacts(await take(coming))).toEqual([aFact()]);
    expect(decoded).toBe(2);
  });
});

type Step =
  | { act: 'add' | 'list' | 'minor' | 'half a minor' | 'major'; events: Fact[] }
  | { act: 'erase'; key: bigint };

const someStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constantFrom('add', 'list', 'minor', 'half a minor', 'major'),
      events: fc.array(someEvent, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('erase'), key: someEvent.map(({ sessionKey }) => sessionKey) }),
  },
);

test('after any changes, a process with a cache reads the same as a process without a cache', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(someStep, fc.boolean()), { maxLength: 14 }), async (steps) => {
      const { ports, factReader: files, add, list, minor, major, erase } = changingFunnel();
      for (const [step, read] of steps) {
        if (step.act === 'add') await add(...step.events);
        else if (step.act === 'list') await list('1', ...step.events);
        else if (step.act === 'major') await major(files);
        else if (step.act === 'erase') await erase(step.key, files);
        else await minor(step.act === 'minor');
        if (read) expect(toComparable(await take(ports))).toEqual(toComparable(await takeCold(ports)));
      }
    }),
    { numRuns: 1_000 },
  );
});

describe('several reads', () => {
  test('read each level 1 file only once if they are concurrent', async () => {
    const { ports, list, called } = changingFunnel();
    await list('base', aFact());
    await list('1', aFact({ started: true }));
    const read = await Promise.all([1, 2, 3].map(() => take(ports)));
    expect(read.map((each) => mergedFacts(each)[0]?.started)).toEqual([true, true, true]);
    expect(called().filter((call) => call === 'files.read')).toHaveLength(1);
  });

  test('return snapshots that do not change when later reads find more facts', async () => {
    const { ports, add } = changingFunnel();
    await add(aFact());
    const first = await take(ports);
    await add(aFact({ sessionKey: 2n }), aFact({ completed: true }));
    await take(ports);
    expect(mergedFacts(first)).toEqual([aFact()]);
    expect(first.firstSessionMs).toBe(MAY_31);
  });

  test('lose no fact and count none twice, even if a later read lists older items than an earlier read', async () => {
    const { ports, list, add, minor, major, factReader: files } = changingFunnel();
    await list('base', aFact({ sessionKey: 1n }));
    await add(aFact({ sessionKey: 1n, started: true }));
    const before = await ports.fresh.read(FUNNEL);
    const manifestBefore = await ports.manifests.read(FUNNEL);
    await take(ports);
    await minor();
    await add(aFact({ sessionKey: 2n }));
    const newer = await take(ports);
    const lookedUp: number[] = [];
    const find = (some: readonly FactFile[], keys: readonly bigint[]) => {
      lookedUp.push(keys.length);
      return files.findBySessionKeys(some, keys);
    };
    const memory = createDirtySessionCache({ ...files, findBySessionKeys: find });
    const listed = { fresh: await ports.fresh.read(FUNNEL), manifest: await ports.manifests.read(FUNNEL) };
    const stale = { fresh: before, manifest: manifestBefore };
    expect((await memory.mergeAndListChanged(FUNNEL, listed)).changedSessions).toHaveLength(2);
    expect((await memory.mergeAndListChanged(FUNNEL, stale)).changedSessions).toHaveLength(2);
    expect(toComparable(await take(ports))).toEqual(toComparable(newer));
    await major(files);
    const rebased = { fresh: await ports.fresh.read(FUNNEL), manifest: await ports.manifests.read(FUNNEL) };
    expect(
      (await memory.mergeAndListChanged(FUNNEL, rebased)).changedSessions.map(({ after }) => after.sessionKey),
    ).toEqual([2n]);
    expect((await memory.mergeAndListChanged(FUNNEL, stale)).changedSessions.map(({ after }) => after.started)).toEqual(
      [true],
    );
    expect(
      (await memory.mergeAndListChanged(FUNNEL, rebased)).changedSessions.map(({ after }) => after.sessionKey),
    ).toEqual([2n]);
    expect(lookedUp).toEqual([2, 0, 1, 1, 0]);
  });
});

test('if facts are erased while a read reads the fresh facts, the read neither returns nor caches these facts', async () => {
  const { ports, add, erase, factReader: files } = changingFunnel();
  await add(aFact({ sessionKey: 1n }), aFact({ sessionKey: 2n }));
  for (const warm of [false, true]) {
    let erased = false;
    const fresh = {
      read: async (funnelId: string) => {
        const items = await ports.fresh.read(funnelId);
        if (!erased) await erase(warm ? 2n : 1n, files);
        erased = true;
        return items;
      },
    };
    const reader = asNewProcess({ ...ports, fresh });
    if (warm) {
      erased = true;
      await take(reader);
      erased = false;
    }
    const left = warm ? [] : [2n];
    expect(mergedFacts(await take(reader)).map(({ sessionKey }) => sessionKey)).toEqual(left);
    expect(mergedFacts(await take(reader)).map(({ sessionKey }) => sessionKey)).toEqual(left);
  }
});

test('a failed read does not change the result of later reads', async () => {
  const { ports, list, add } = changingFunnel();
  await list('base', aFact({ sessionKey: 1n }), aFact({ sessionKey: 2n }));
  await add(aFact({ sessionKey: 1n, started: true }));
  let broken: 'read' | 'findBySessionKeys' | undefined;
  const failing =
    <A extends unknown[], T>(name: 'read' | 'findBySessionKeys', call: (...args: A) => Promise<T>) =>
    async (...args: A) => {
      if (broken === name) throw new Error('The disk failed.');
      return call(...args);
    };
  const { factReader: files } = ports;
  const reader = asNewProcess({
    ...ports,
    factReader: {
      ...methodsOf(files),
      read: failing('read', files.read),
      findBySessionKeys: failing('findBySessionKeys', files.findBySessionKeys),
    },
  });
  await take(reader);
  await list('1', aFact({ sessionKey: 2n, completed: true }));
  for (const name of ['read', 'findBySessionKeys'] as const) {
    broken = name;
    await expect(take(reader)).rejects.toThrow('The disk failed.');
  }
  broken = undefined;
  expect(toComparable(await take(reader))).toEqual(toComparable(await takeCold(ports)));
});

const methodsOf = ({
  prefetch,
  evictExcept,
  read,
  findBySessionKeys,
  count,
  countValues,
}: SnapshotPorts['factReader']) => {
  return { prefetch, evictExcept, read, findBySessionKeys, count, countValues };
};
