import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Counts, Grouping } from '../../../../shared/analytics/facts/counts.ts';
import { countSessionsInFiles } from '../../../../shared/analytics/facts/duckdb/count-sessions-in-files.ts';
import { createSandboxedDuckDb } from '../../../../shared/analytics/facts/duckdb/duckdb.ts';
import { compareUtf8, type Fact, mergeFactsBySession } from '../../../../shared/analytics/facts/fact.ts';
import type { FactReader } from '../../../../shared/analytics/facts/ports.ts';
import { countSessions, takeSnapshot } from '../../../../shared/analytics/queries/snapshot.ts';
import { aFact, createMemoryFactFiles, MAY_31, someEvent, someFilters } from '../../../support/analytics/analytics.ts';
import { changingFunnel, FUNNEL } from '../../../support/analytics/changing-funnel.ts';
import { always, factFiles, folder, write } from '../../../support/analytics/duckdb-fact-store.ts';

const GROUPINGS = ['quarterHour', 'utmSource', 'referrer', 'deviceType'] as const satisfies Grouping[];

/** Like `someEvent`, but with up to 31 sessions, so that the counts of the values differ. */
const spreadEvent = fc
  .tuple(someEvent, fc.bigInt(0n, 30n))
  .map(([event, sessionKey]): Fact => ({ ...event, sessionKey }));

/** Sorts values by their number of sessions, the highest first. Ties are in the order of code points. */
const ranked = (counts: ReadonlyMap<string, Counts>): [string, Counts][] =>
  [...counts].sort(([a, { sessions: ofA }], [b, { sessions: ofB }]) => ofB - ofA || compareText(a, b));
const compareText = (a: string, b: string) => (a === '' || b === '' ? a.length - b.length : compareUtf8(a, b));

/** A reader that returns at most `depth` values of a dimension, as the DuckDB reader does. */
const truncating = (files: FactReader): FactReader => ({
  ...files,
  count: async (some, selection, by, depth) => {
    const counted = await files.count(some, selection, by, depth);
    const cut = by.map((grouping) => {
      const all = counted[grouping];
      return [grouping, grouping === 'quarterHour' ? all : new Map(ranked(all).slice(0, depth))];
    });
    return Object.fromEntries(cut);
  },
});

test('after any changes, the counts of the most frequent values are exact, even if the base returned only a few values', async () => {
  const someFacts = fc.array(spreadEvent, { maxLength: 40 });
  const few = fc.integer({ min: 1, max: 4 });
  const someSelection = fc.record({
    filters: fc.oneof(fc.constant({}), someFilters),
    sinceMs: fc.constantFrom(0, MAY_31, MAY_31 + 1),
  });
  await fc.assert(
    fc.asyncProperty(someFacts, someFacts, few, few, someSelection, async (base, fresh, depth, exact, part) => {
      const { ports, list, add, factReader: files } = changingFunnel();
      await list('base', ...base);
      await add(...fresh);
      const snapshot = await takeSnapshot(ports, FUNNEL);
      const selection = { untilMs: always.untilMs, ...part };
      const reported = await countSessions(truncating(files), snapshot, selection, GROUPINGS, { depth, exact });
      const expected = expectedCounts([...base, ...fresh], selection);
      for (const grouping of GROUPINGS) {
        const all = ranked(expected(grouping));
        const largest = grouping === 'quarterHour' ? all : all.slice(0, exact);
        const read = ranked(reported[grouping]).filter(([, { sessions }]) => sessions > 0);
        expect(read.slice(0, largest.length)).toEqual(largest);
      }
    }),
    { numRuns: 1_500 },
  );
});

/** Counts sessions after merging all events in one step. */
function expectedCounts(events: readonly Fact[], { sinceMs, filters }: { sinceMs: number; filters: object }) {
  const picked = [...mergeFactsBySession(events).values()].filter(
    (fact) =>
      fact.firstTimeMs >= sinceMs &&
      Object.entries(filters).every(([name, value]) => fact[name as keyof Fact] === value),
  );
  return (grouping: Grouping): Map<string, Counts> => {
    const counts = new Map<string, Counts>();
    for (const fact of picked) {
      const value = grouping === 'quarterHour' ? String(Math.floor(fact.firstTimeMs / 900_000)) : fact[grouping];
      const { sessions, starts, completions } = counts.get(value) ?? { sessions: 0, starts: 0, completions: 0 };
      counts.set(value, {
        sessions: sessions + 1,
        starts: starts + Number(fact.started),
        completions: completions + Number(fact.completed),
      });
    }
    return counts;
  };
}

describe('counts from Parquet files', () => {
  test('contain all quarter hours with sessions, and the most frequent values of each dimension (ties: by code point)', async () => {
    const reader = factFiles();
    await fc.assert(
      fc.asyncProperty(
        fc.array(spreadEvent, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        async (events, depth) => {
          const facts = [...mergeFactsBySession(events).values()];
          const memory = createMemoryFactFiles();
          const exact = truncating(memory);
          const expected = await exact.count([await memory.write(FUNNEL, facts, 0)], always, GROUPINGS, depth);
          expect(await reader.count([await write(facts)], always, GROUPINGS, depth)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('contain exactly the requested values that have sessions', async () => {
    const facts = ['a', 'b', 'b', "o'hara", '', '😀'].map((utmTerm, at) =>
      aFact({ sessionKey: BigInt(at), utmTerm, started: at === 1 }),
    );
    const read = await factFiles().countValues([await write(facts)], always, 'utmTerm', ['b', "o'hara", '', 'never']);
    const one = { sessions: 1, starts: 0, completions: 0 };
    expect(read).toEqual(
      new Map([
        ['b', { sessions: 2, starts: 1, completions: 0 }],
        ["o'hara", one],
        ['', one],
      ]),
    );
    expect(await factFiles().countValues([await write(facts)], always, 'utmTerm', [])).toEqual(new Map());
  });

  test('are exact even if the values of all dimensions together do not fit into memory', async () => {
    const path = `${folder}/many.parquet`;
    await createSandboxedDuckDb(folder)((connection) =>
      connection.run(
        `COPY (SELECT 1780000000000 + i AS first_time_ms, i % 2 = 0 AS started, false AS completed,
                 repeat('s', 200) || (i // 2) AS utm_source, repeat('m', 200) || (i // 3) AS utm_medium
               FROM range(200000) t(i)) TO '${path}' (FORMAT parquet)`,
      ),
    );
    const criteria = { sinceMs: 0, untilMs: 1_790_000_000_000, filters: {} };
    const counted = await createSandboxedDuckDb(folder, { memoryMb: 60, threads: 1 })((connection) => {
      const scan = { connection, from: `read_parquet('${path}')`, criteria };
      return countSessionsInFiles(scan, ['utmSource', 'utmMedium', 'quarterHour'], 2);
    });
    expect(counted.utmSource).toEqual(
      new Map([0, 1].map((at) => ['s'.repeat(200) + at, { sessions: 2, starts: 1, completions: 0 }])),
    );
    expect([...counted.utmMedium.keys()]).toEqual(['m'.repeat(200) + 0, 'm'.repeat(200) + 1]);
    expect([...counted.quarterHour.values()][0]?.sessions).toBe(200_000);
  });
});
