import { expect } from 'vitest';
import { type Fact, mergeFactsBySession } from '../../../shared/analytics/facts/fact.ts';
import type { Level } from '../../../shared/analytics/facts/manifest.ts';
import type { FactReader, ManifestRepository } from '../../../shared/analytics/facts/ports.ts';
import type { SnapshotPorts } from '../../../shared/analytics/queries/snapshot.ts';
import { addFresh, asNewProcess, createMemoryAnalytics } from './analytics.ts';

export const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';

/** Creates in-memory stores that record each call, and functions that change the stores as the service does. */
export function changingFunnel() {
  const stores = createMemoryAnalytics();
  const calls: string[] = [];
  const noted = <P extends object>(port: P, name: string): P =>
    new Proxy(port, {
      get: (target, method) => {
        calls.push(`${name}.${String(method)}`);
        return Reflect.get(target, method);
      },
    });
  const ports: SnapshotPorts = asNewProcess({
    fresh: noted(stores.fresh, 'fresh'),
    manifests: noted(stores.manifests, 'manifests'),
    factReader: noted(stores.factReader, 'files'),
  });
  const called = () => calls.splice(0).filter((call) => call !== 'files.prefetch' && call !== 'files.evictExcept');
  return { ...stores, ports, called, ...changesTo(stores) };
}

function changesTo({ fresh, manifests, writer }: ReturnType<typeof createMemoryAnalytics>) {
  const commit = async (change: (read: Awaited<ReturnType<ManifestRepository['read']>>) => object) => {
    const read = await manifests.read(FUNNEL);
    expect(await manifests.replaceIfUnchanged(FUNNEL, read, { ...read, ...change(read) })).toBe(true);
  };
  const written = async (facts: Iterable<Fact>, level: Level) => {
    const merged = [...mergeFactsBySession(facts).values()];
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
    major: async (factsOf: FactReader) => {
      const { files } = await manifests.read(FUNNEL);
      const base = await written(await factsOf.read(files), 'base');
      await commit(() => ({ files: base }));
    },
    /** Removes a session from all stores, starting with the fresh items. */
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
