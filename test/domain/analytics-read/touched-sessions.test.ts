import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fact, mergeAll } from '../../../shared/analytics/facts/fact.ts';
import type { FactReader, FactWriter } from '../../../shared/analytics/facts/fact-files.ts';
import type { Level, Manifests } from '../../../shared/analytics/facts/manifest.ts';
import { type Snapshot, type SnapshotPorts, takeSnapshot } from '../../../shared/analytics/reads/snapshot.ts';
import { addFresh, aFact, memoryAnalytics, someEvent } from '../../support/analytics.ts';

const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';

/** Stores in memory that note each call, and what a compaction or an erasure does to them. */
function setUp() {
  const stores = memoryAnalytics();
  const calls: string[] = [];
  const noted = <P extends object>(port: P, name: string): P =>
    new Proxy(port, {
      get: (target, method) => {
        calls.push(`${name}.${String(method)}`);
        return Reflect.get(target, method);
      },
    });
  const ports: SnapshotPorts = {
    fresh: noted(stores.fresh, 'fresh'),
    manifests: noted(stores.manifests, 'manifests'),
    files: noted(stores.files, 'files'),
  };
  const called = () => calls.splice(0).filter((call) => call !== 'files.prepare');
  return { ...stores, ports, called, ...changesTo(stores) };
}

function changesTo({ fresh, manifests, writer }: ReturnType<typeof memoryAnalytics>) {
  const commit = async (change: (read: Awaited<ReturnType<Manifests['read']>>) => object) => {
    const read = await manifests.read(FUNNEL);
    expect(await manifests.commit(FUNNEL, read, { ...read, ...change(read) })).toBe('committed');
  };
  const written = async (facts: Iterable<Fact>, level: Level) => {
    const merged = [...mergeAll(facts).values()];
    return merged.length === 0 ? [] : [{ ...(await writer.write(FUNNEL, merged, 0)), level }];
  };
  return {
    add: (...facts: Fact[]) => addFresh(fresh, FUNNEL, facts),
    list: async (level: Level, ...facts: Fact[]) => {
      const files = await written(facts, level);
      await commit((read) => ({ files: [...read.files, ...files] }));
    },
    minor: async (removed = true) => {
      const items = await fresh.read(FUNNEL);
      const files = await written(
        items.flatMap(({ facts }) => facts),
        '1',
      );
      await commit((read) => ({ files: [...read.files, ...files] }));
      const refs = items.map(({ ref }) => ref);
      if (removed) await fresh.remove(FUNNEL, refs);
    },
    major: async (factsOf: FactReader & FactWriter) => {
      const { files } = await manifests.read(FUNNEL);
      const base = await written(await factsOf.read(files), 'base');
      await commit(() => ({ files: base }));
    },
    /** Takes a session away everywhere; the fresh items first. */
    erase: async (sessionKey: bigint, factsOf: FactReader) => {
      const others = (facts: readonly Fact[]) => facts.filter((fact) => fact.sessionKey !== sessionKey);
      for (const { ref, facts } of await fresh.read(FUNNEL)) {
        await addFresh(fresh, FUNNEL, others(facts));
        await fresh.remove(FUNNEL, [ref]);
      }
      const { files, generation } = await manifests.read(FUNNEL);
      const left = await Promise.all(
        files.map(async (file) => written(others(await factsOf.read([file])), file.level)),
      );
      await commit(() => ({ files: left.flat(), generation: generation + 1 }));
    },
  };
}

const take = (ports: SnapshotPorts) => takeSnapshot(ports, FUNNEL);
/** As another process sees it, which remembers nothing. */
const takeCold = (ports: SnapshotPorts) => takeSnapshot({ ...ports }, FUNNEL);

/** A snapshot as what it says, whatever the order in which it was merged. */
const sense = ({ base, changes, firstSessionMs }: Snapshot) => ({
  base: base.map(({ name }) => name),
  changes: new Map(changes.map(({ before, after }) => [after.sessionKey, { before, after }])),
  firstSessionMs,
});
const become = ({ changes }: Snapshot) => changes.map((change) => change.after);

describe('the first read of a funnel', () => {
  test('learns the generation, then takes the fresh facts, then the manifest, then files', async () => {
    const { ports, list, add, called } = setUp();
    await list('base', aFact());
    await list('1', aFact({ started: true }));
    await add(aFact({ completed: true }));
    await take(ports);
    expect(called()).toEqual(['manifests.read', 'fresh.read', 'manifests.read', 'files.read', 'files.find']);
  });

  test('prepares the files while the fresh facts are on their way', async () => {
    const { ports, list } = setUp();
    await list('base', aFact());
    const prepared: string[][] = [];
    const files = {
      ...ports.files,
      prepare: (listed: readonly { name: string }[]) => void prepared.push(listed.map(({ name }) => name)),
    };
    const { base } = await takeSnapshot({ ...ports, files }, FUNNEL);
    await new Promise(setImmediate);
    expect(prepared).toEqual([base.map(({ name }) => name)]);
  });
});

describe('a later read', () => {
  test('asks files only for what is new', async () => {
    const { ports, list, add, called } = setUp();
    await list('base', aFact({ sessionKey: 1n }), aFact({ sessionKey: 2n }));
    await list('1', aFact({ sessionKey: 1n, started: true }));
    await take(ports);
    called();
    await take(ports);
    expect(called()).toEqual(['fresh.read', 'manifests.read', 'files.find']);
    await add(aFact({ sessionKey: 2n, started: true }));
    expect(become(await take(ports))).toHaveLength(2);
    expect(called()).toEqual(['fresh.read', 'manifests.read', 'files.find']);
    await list('1', aFact({ sessionKey: 2n, completed: true }));
    await take(ports);
    expect(called()).toEqual(['fresh.read', 'manifests.read', 'files.read', 'files.find']);
  });

  test('does not decode again what it knows', async () => {
    const { ports } = setUp();
    let decoded = 0;
    const item = {
      ref: 'a',
      get facts() {
        decoded++;
        return [aFact()];
      },
    };
    const known = { ...ports, fresh: { read: async () => [item] } };
    for (let run = 0; run < 3; run++) expect(become(await take(known))).toEqual([aFact()]);
    expect(decoded).toBe(1);
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

test('what is remembered says what a process that remembers nothing reads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(someStep, fc.boolean()), { maxLength: 14 }), async (steps) => {
      const { ports, files, add, list, minor, major, erase } = setUp();
      for (const [step, read] of steps) {
        if (step.act === 'add') await add(...step.events);
        else if (step.act === 'list') await list('1', ...step.events);
        else if (step.act === 'major') await major(files);
        else if (step.act === 'erase') await erase(step.key, files);
        else await minor(step.act === 'minor');
        if (read) expect(sense(await take(ports))).toEqual(sense(await takeCold(ports)));
      }
    }),
    { numRuns: 1_000 },
  );
});
