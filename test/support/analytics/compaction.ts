import {
  type MajorCompactionPorts,
  runMajorCompactions,
} from '../../../shared/analytics/compaction/major-compaction.ts';
import {
  type MinorCompactionPorts,
  runMinorCompactions,
} from '../../../shared/analytics/compaction/minor-compaction.ts';
import type { BaseRewriter } from '../../../shared/analytics/compaction/ports.ts';
import { sweepFactFiles } from '../../../shared/analytics/compaction/sweep-fact-files.ts';
import { type Fact, mergeFactsBySession } from '../../../shared/analytics/facts/fact.ts';
import { fileCreatedMs, isLevel1, type Manifest } from '../../../shared/analytics/facts/manifest.ts';
import type { FactReader, FactWriter, StoredFactFile } from '../../../shared/analytics/facts/ports.ts';
import { createMemoryFactFiles, createMemoryFreshFacts, MAY_31 } from './analytics.ts';
import { createMemoryManifests } from './memory-manifests.ts';

export const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';
export const OTHER = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a02';
export const HOUR_MS = 3_600_000;

/** The limit is so low that a few events need several base files. */
export const FILE_SESSIONS_MAX = 3;

/** A rewriter that merges the whole range in one step. */
export const memoryRewriter = (files: FactReader & FactWriter, fileSessionsMax = FILE_SESSIONS_MAX): BaseRewriter => ({
  rewrite: async ({ funnelId, range, base, level1Files, completeUntilMs }) => {
    const isIn = ({ sessionKey }: Fact) => sessionKey >= range.from && sessionKey <= range.to;
    const level1Facts = (await files.read(level1Files)).filter(isIn);
    if (level1Facts.length === 0) return undefined;
    const known = (await files.read(base === undefined ? [] : [base])).filter(isIn);
    const merged = [...mergeFactsBySession([...known, ...level1Facts]).values()];
    merged.sort((a, b) => (a.sessionKey < b.sessionKey ? -1 : 1));
    const parts = Map.groupBy(merged, (fact) => Math.floor(merged.indexOf(fact) / fileSessionsMax));
    return Promise.all([...parts.values()].map((facts) => files.write(funnelId, facts, completeUntilMs)));
  },
});

/** Creates two clocks. `ms` is the clock of the processes, which may jump. `storeMs` is the clock of the store. */
function clocks() {
  const clock = {
    ms: MAY_31,
    storeMs: MAY_31,
    now: () => clock.ms,
    pass: (ms: number) => {
      clock.ms += ms;
      clock.storeMs += ms;
    },
  };
  return clock;
}

/** Creates in-memory stores for compactions, with two clocks. */
export function factStores() {
  const clock = clocks();
  const stored = new Map<string, Fact[]>();
  const storedAt = new Map<string, number>();
  const { write, ...reader } = createMemoryFactFiles(stored, clock);
  const files = {
    ...reader,
    write: async (...given: Parameters<FactWriter['write']>) => {
      const file = await write(...given);
      storedAt.set(file.name, clock.storeMs);
      return file;
    },
  };
  const list = async function* (): AsyncGenerator<StoredFactFile[]> {
    // A page of the list has only two files, so that a funnel's files need several pages.
    const all = [...stored.keys()].sort().map((name) => ({ name, storedMs: storedAt.get(name) ?? 0 }));
    for (let at = 0; at < all.length; at += 2) yield all.slice(at, at + 2);
  };
  const removed: { name: string; purgeVersions: boolean }[] = [];
  const remove = async (name: string, purgeVersions: boolean) => {
    removed.push({ name, purgeVersions });
    stored.delete(name);
  };
  return {
    fresh: createMemoryFreshFacts(),
    manifests: createMemoryManifests(),
    factReader: files,
    writer: files,
    clock,
    rewriter: memoryRewriter(files),
    swept: { list, remove },
    stored: () => [...stored.keys()].sort(),
    removed,
  };
}
export type FactStores = ReturnType<typeof factStores>;

/** Runs minor compactions of all pending facts. By default, a batch has at most two facts, or one larger item. */
export const minor = (stores: MinorCompactionPorts, factsInMemoryMax = 2) =>
  runMinorCompactions(stores, { factsInMemoryMax, remainingMs: () => HOUR_MS });

/** Runs major compactions of all funnels with level 1 files. */
export const major = (stores: MajorCompactionPorts) =>
  runMajorCompactions(stores, { isDue: ({ files }) => files.some(isLevel1), remainingMs: () => HOUR_MS });

export const sweep = ({ manifests, swept, clock }: Pick<FactStores, 'manifests' | 'swept' | 'clock'>) =>
  sweepFactFiles({ manifests, fileStore: swept, clock }, { remainingMs: () => HOUR_MS });

/** Returns the violated invariants of a manifest. */
export function faultsOf({ files, retired }: Manifest, stored: readonly string[]): string[] {
  const names = files.map(({ name }) => name);
  const base = files.filter((file) => !isLevel1(file)).sort((a, b) => (a.minKey < b.minKey ? -1 : 1));
  return [
    ...names.filter((name) => !stored.includes(name)).map((name) => `${name} is listed but not stored`),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is listed twice`),
    ...retired.filter(({ name }) => names.includes(name)).map(({ name }) => `${name} is listed and retired`),
    ...base.filter(({ minKey }, at) => minKey <= (base[at - 1]?.maxKey ?? minKey - 1n)).map(() => 'the base overlaps'),
    ...base.filter(({ factCount }) => factCount > FILE_SESSIONS_MAX).map(({ name }) => `${name} is too large`),
    ...files.filter((file) => Number.isNaN(fileCreatedMs(file))).map(({ name }) => `${name} has no time`),
  ];
}
