import fc from 'fast-check';
import { ulid } from 'ulid';
import type { Counts, CountsByGroup, Grouping } from '../../../shared/analytics/facts/counts.ts';
import { createSessionMatcher, type Filters } from '../../../shared/analytics/facts/criteria.ts';
import { FACT_DIMENSIONS, type Fact, mergeFactsBySession } from '../../../shared/analytics/facts/fact.ts';
import type { FactFile } from '../../../shared/analytics/facts/fact-files.ts';
import type { FactReader, FactWriter, FreshFactRepository } from '../../../shared/analytics/facts/ports.ts';
import { createDirtySessionCache } from '../../../shared/analytics/queries/dirty-sessions.ts';
import type { Overview } from '../../../shared/analytics/queries/overview.ts';
import type { SnapshotPorts } from '../../../shared/analytics/queries/snapshot.ts';
import { BROWSERS, DEVICE_TYPES, OPERATING_SYSTEMS } from '../../../shared/platform/device.ts';
import { createMemoryManifests } from './memory-manifests.ts';

export const DAY_MS = 86_400_000;
/** 2026-05-31T00:00:00Z */
export const MAY_31 = Date.UTC(2026, 4, 31);

export const aFact = (overrides: Partial<Fact> = {}): Fact => ({
  sessionKey: 1n,
  firstTimeMs: MAY_31,
  clientTimeMs: overrides.firstTimeMs ?? MAY_31,
  stepIndex: null,
  referrer: 'direct',
  utmSource: '',
  utmMedium: '',
  utmCampaign: '',
  utmTerm: '',
  utmContent: '',
  deviceType: 'desktop',
  browser: 'chrome',
  os: 'linux',
  started: false,
  completed: false,
  ...overrides,
});

const SESSION_KEYS = [0n, -1n, 7n, 2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n, 9_007_199_254_740_992n];
const MARKS = ['', 'news', "o'hara", 'ünï', '😀', '！', '"; --', '100%'];
/** Times that are close together, so that some are equal and some are bounds of a range. */
const someTime = fc.constantFrom(-DAY_MS, -1, 0, 1, 2, DAY_MS).map((offset) => MAY_31 + offset);

/** The fact of one event. There are few different values, so that events share sessions and match filters. */
export const someEvent: fc.Arbitrary<Fact> = fc
  .record({
    sessionKey: fc.constantFrom(...SESSION_KEYS),
    firstTimeMs: someTime,
    clientTimeMs: someTime,
    stepIndex: fc.constantFrom(null, 0, 1, 2),
    referrer: fc.constantFrom('direct', 'a.example', 'b.example'),
    utmSource: fc.constantFrom(...MARKS),
    utmMedium: fc.constantFrom('', 'mail'),
    utmCampaign: fc.constantFrom('', 'spring'),
    utmTerm: fc.constantFrom('', 'blue'),
    utmContent: fc.constantFrom('', 'top'),
    deviceType: fc.constantFrom(...DEVICE_TYPES),
    browser: fc.constantFrom(...BROWSERS.slice(0, 2)),
    os: fc.constantFrom(...OPERATING_SYSTEMS.slice(0, 2)),
    kind: fc.constantFrom('view', 'start', 'complete'),
  })
  .map(({ kind, ...event }) => ({ ...event, started: kind !== 'view', completed: kind === 'complete' }));

export const someFilters: fc.Arbitrary<Filters> = fc.record(
  {
    referrer: fc.constantFrom('direct', 'a.example', 'never.example'),
    utmSource: fc.constantFrom(...MARKS.slice(1)),
    utmMedium: fc.constant('mail'),
    utmCampaign: fc.constant('spring'),
    utmTerm: fc.constant('blue'),
    utmContent: fc.constant('top'),
    deviceType: fc.constantFrom(...DEVICE_TYPES),
    browser: fc.constantFrom(...BROWSERS.slice(0, 3)),
    os: fc.constantFrom(...OPERATING_SYSTEMS.slice(0, 3)),
  },
  { requiredKeys: [] },
);

/** Computes the overview from all events by its definition, without merges and files. */
export function expectedOverview(
  events: readonly Fact[],
  { sinceMs, untilMs, filters = {} }: { sinceMs: number; untilMs: number; filters?: Filters },
): Overview {
  const sessions = [...Map.groupBy(events, ({ sessionKey }) => sessionKey).values()].map((of) => ({
    first: of.toSorted(byOrder)[0] ?? aFact(),
    started: of.some(({ started }) => started),
    completed: of.some(({ completed }) => completed),
  }));
  const counted = sessions
    .filter(({ first }) => sinceMs <= first.firstTimeMs && first.firstTimeMs < untilMs)
    .filter(({ first }) => Object.entries(filters).every(([name, value]) => first[name as keyof Fact] === value));
  const devices = DEVICE_TYPES.map((deviceType) => {
    const own = counted.filter(({ first }) => first.deviceType === deviceType);
    const starts = own.filter(({ started }) => started).length;
    return { deviceType, total: own.length, starts, completions: own.filter(({ completed }) => completed).length };
  });
  const totalStarts = counted.filter(({ started }) => started).length;
  const totalCompletions = counted.filter(({ completed }) => completed).length;
  const rate = totalStarts === 0 ? 0 : Number(((100 * totalCompletions) / totalStarts).toFixed(2));
  return { overview: { totalStarts, totalCompletions, conversionRate: rate }, devices };
}

function byOrder(a: Fact, b: Fact): number {
  const step = ({ stepIndex }: Fact) => stepIndex ?? Number.POSITIVE_INFINITY;
  const numbers = (of: Fact) => [of.firstTimeMs, of.clientTimeMs, step(of)];
  const [left, right] = [numbers(a), numbers(b)];
  for (const [at, value] of left.entries()) if (value !== right[at]) return value < (right[at] ?? 0) ? -1 : 1;
  // An absent value sorts last: 0xff is greater than every byte of a text in UTF-8.
  const bytes = (of: Fact) =>
    FACT_DIMENSIONS.map((name) => (of[name] === '' ? Buffer.from([0xff]) : Buffer.from(of[name])));
  const dimensionsOfB = bytes(b);
  for (const [at, value] of bytes(a).entries()) {
    const order = Buffer.compare(value, dimensionsOfB[at] ?? value);
    if (order !== 0) return order;
  }
  return 0;
}

/** In-memory fresh facts. `since` is the time at which every item was stored. */
export function createMemoryFreshFacts(since = 0) {
  const items = new Map<string, { funnelId: string; facts: Fact[] }>();
  let added = 0;
  const of = (funnelId: string) => [...items].filter(([, item]) => item.funnelId === funnelId);
  return {
    add: async (funnelId: string, _: unknown, facts: readonly Fact[]) => {
      items.set(`fresh-${++added}`, { funnelId, facts: [...facts] });
    },
    read: async (funnelId: string) => of(funnelId).map(([ref, { facts }]) => ({ ref, facts })),
    readBatch: async (funnelId: string, factsMax: number) => {
      const all = of(funnelId).map(([ref, { facts }]) => ({ ref, facts }));
      const upTo = (at: number) => all.slice(0, at + 1).reduce((sum, { facts }) => sum + facts.length, 0);
      const items = all.filter((_, at) => at === 0 || upTo(at) <= factsMax);
      return { items, isLast: items.length === all.length };
    },
    remove: async (_: string, refs: readonly string[]) => {
      for (const ref of refs) items.delete(ref);
    },
    listPendingFunnels: async () =>
      [...new Set(Array.from(items.values(), ({ funnelId }) => funnelId))].map((funnelId) => ({
        funnelId,
        oldestMs: since,
        factCount: of(funnelId).reduce((sum, [, { facts }]) => sum + facts.length, 0),
      })),
  } satisfies FreshFactRepository;
}

/** In-memory fact files. DuckDB must return the same results. A test may read and change `stored`. */
export function createMemoryFactFiles(
  stored = new Map<string, Fact[]>(),
  clock = { now: () => Date.now() },
): FactReader & FactWriter {
  const rows = (files: readonly FactFile[]) => files.flatMap(({ name }) => stored.get(name) ?? missing(name));
  return {
    write: async (funnelId, facts, completeUntilMs) => {
      const name = `${funnelId}/${ulid(clock.now())}`;
      stored.set(name, [...facts]);
      const times = facts.map(({ firstTimeMs: timeMs }) => timeMs);
      const keys = facts.map(({ sessionKey }) => sessionKey).sort((a, b) => (a < b ? -1 : 1));
      return {
        name,
        factCount: facts.length,
        bytes: 1,
        sha256: '',
        completeUntilMs,
        minTimeMs: Math.min(...times),
        maxTimeMs: Math.max(...times),
        minKey: keys[0] ?? 0n,
        maxKey: keys.at(-1) ?? 0n,
      };
    },
    prefetch: () => undefined,
    evictExcept: () => undefined,
    read: async (files) => rows(files),
    findBySessionKeys: async (files, keys) => rows(files).filter(({ sessionKey }) => keys.includes(sessionKey)),
    count: async (files, selection, by) => {
      const selected = rows(files).filter(createSessionMatcher(selection));
      const counted: Partial<CountsByGroup> = Object.fromEntries(
        by.map((grouping) => [grouping, countsBy(selected, grouping)]),
      );
      return counted as CountsByGroup;
    },
    countValues: async (files, selection, dimension, values) => {
      const selected = rows(files).filter(createSessionMatcher(selection));
      return new Map([...countsBy(selected, dimension)].filter(([value]) => values.includes(value)));
    },
  };
}

function countsBy(facts: readonly Fact[], grouping: Grouping): Map<string, Counts> {
  const groups = Map.groupBy(facts, (fact) =>
    grouping === 'quarterHour' ? String(Math.floor(fact.firstTimeMs / 900_000)) : fact[grouping],
  );
  return new Map(
    [...groups].map(([value, of]) => {
      const starts = of.filter(({ started }) => started).length;
      return [value, { sessions: of.length, starts, completions: of.filter(({ completed }) => completed).length }];
    }),
  );
}

const missing = (name: string): never => {
  throw new Error(`There is no file ${name}.`);
};

/** Stores facts as one fresh item, merged by session, as the pipeline does with the facts of a batch. */
export async function addFresh(fresh: FreshFactRepository, funnelId: string, facts: readonly Fact[]): Promise<void> {
  if (facts.length > 0) await fresh.add(funnelId, { first: '1', last: '2' }, [...mergeFactsBySession(facts).values()]);
}

type ReadStores = Omit<SnapshotPorts, 'dirtySessionCache'>;

/** Returns the same stores with an empty cache, as in a new process. */
export const asNewProcess = <S extends ReadStores>(stores: S): S & Pick<SnapshotPorts, 'dirtySessionCache'> => ({
  ...stores,
  dirtySessionCache: createDirtySessionCache(stores.factReader),
});

export function createMemoryAnalytics(since?: number) {
  const files = createMemoryFactFiles();
  return asNewProcess({
    fresh: createMemoryFreshFacts(since),
    manifests: createMemoryManifests(),
    factReader: files,
    writer: files,
    clock: { now: () => MAY_31 },
  });
}
