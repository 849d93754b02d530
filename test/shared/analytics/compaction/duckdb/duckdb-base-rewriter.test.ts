import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { importFacts } from '../../../../../infra/local/seed/import-facts.ts';
import { createDuckDbBaseRewriter } from '../../../../../shared/analytics/compaction/duckdb/duckdb-base-rewriter.ts';
import { FULL_KEY_RANGE } from '../../../../../shared/analytics/compaction/ports.ts';
import { createSandboxedDuckDb } from '../../../../../shared/analytics/facts/duckdb/duckdb.ts';
import { createDuckDbFactReader } from '../../../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createDuckDbFactWriter } from '../../../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { type Fact, mergeFactsBySession } from '../../../../../shared/analytics/facts/fact.ts';
import { type FactFile, factObjectKey } from '../../../../../shared/analytics/facts/fact-files.ts';
import { isBase } from '../../../../../shared/analytics/facts/manifest.ts';
import { readOverview } from '../../../../../shared/analytics/queries/overview.ts';
import {
  addFresh,
  aFact,
  asNewProcess,
  createMemoryFreshFacts,
  DAY_MS,
  expectedOverview,
  MAY_31,
  someEvent,
} from '../../../../support/analytics/analytics.ts';
import { FUNNEL, faultsOf, major, minor } from '../../../../support/analytics/compaction.ts';
import { createMemoryFactObjects } from '../../../../support/analytics/memory-fact-objects.ts';
import { createMemoryManifests } from '../../../../support/analytics/memory-manifests.ts';
import { ignoredMetrics } from '../../../../support/platform/ignored-metrics.ts';

/** Timeout of a test. It is long, because the machine may be busy. */
const PATIENCE_MS = 120_000;

const root = mkdtempSync(join(tmpdir(), 'bases-'));
afterAll(() => rmSync(root, { recursive: true }));

const objects = createMemoryFactObjects();
const files = createDuckDbFactReader(objects, ignoredMetrics, { folder: join(root, 'cache') });
const writer = createDuckDbFactWriter(objects, { folder: join(root, 'drafts') });
const folder = join(root, 'bases');
const rewriterOf = (limits = {}) => createDuckDbBaseRewriter(objects, { folder, ...limits });
const tiny = rewriterOf({ fileSessionsMax: 3, chunkFactsMax: 2 });

const byKey = (facts: Iterable<Fact>) => [...facts].sort((a, b) => (a.sessionKey < b.sessionKey ? -1 : 1));
const written = (facts: readonly Fact[]) =>
  Promise.all(facts.length === 0 ? [] : [writer.write(FUNNEL, [...mergeFactsBySession(facts).values()], 0)]);
const all = { funnelId: FUNNEL, range: FULL_KEY_RANGE, completeUntilMs: 7 };

async function rowsOf(file: FactFile, columns: string): Promise<unknown[][]> {
  const path = join(root, 'look.parquet');
  writeFileSync(path, await objects.get(file.name));
  return createSandboxedDuckDb(root)(async (connection) =>
    (await connection.runAndReadAll(`SELECT ${columns} FROM read_parquet('${path}')`)).getRows(),
  );
}

describe('rewriting a range', () => {
  test(
    'writes merged facts sorted by time; a file has at most `fileSessionsMax` sessions, and no session is in two files',
    async () => {
      const some = fc.array(someEvent, { maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(some, fc.array(some, { minLength: 1, maxLength: 3 }), async (known, level1) => {
          const [base] = await written(known);
          const level1Files = (await Promise.all(level1.map(written))).flat();
          const made = await tiny.rewrite({ ...all, base, level1Files });
          expect(made === undefined).toBe(level1Files.length === 0);
          if (made === undefined) return;
          const merged = byKey(mergeFactsBySession([...known, ...level1.flat()]).values());
          expect(byKey(await files.read(made))).toEqual(merged);
          const listed = made.map((file) => ({ ...file, level: 'base' as const }));
          expect(
            faultsOf(
              { version: 1, generation: 0, files: listed, retired: [] },
              listed.map(({ name }) => name),
            ),
          ).toEqual([]);
          expect(listed.length).toBe(Math.ceil(merged.length / 3));
          for (const file of listed) {
            const rows = await rowsOf(file, 'first_time_ms, session_key, complete_until_ms');
            const times = rows.map(([time, key]) => [time as bigint, key as bigint] as const);
            expect(times).toEqual(times.toSorted(([a, x], [b, y]) => Number(a - b) || (x < y ? -1 : 1)));
            expect(rows.every(([, , until]) => until === 7n)).toBe(true);
          }
        }),
        { numRuns: 20 },
      );
    },
    PATIENCE_MS,
  );

  test.each([
    ['the limit of text bytes of a file', { fileTextBytesMax: 5_000_000 }],
    ['the memory limit', { memoryMb: 32 }],
  ])(
    'if long texts in the range exceed %s, writes several files, which together contain all facts',
    async (_, limits) => {
      const long = (at: number) => `${at}-`.repeat(40).slice(0, 250);
      const wide = (sessionKey: number): Fact =>
        aFact({
          sessionKey: BigInt(sessionKey),
          utmSource: long(sessionKey),
          utmMedium: long(sessionKey + 1),
          utmCampaign: long(sessionKey + 2),
          utmTerm: long(sessionKey + 3),
          utmContent: long(sessionKey + 4),
        });
      const sessions = 16_000;
      const [base] = await written(Array.from({ length: sessions - 1_000 }, (_, at) => wide(at)));
      const level1Files = await written(Array.from({ length: 2_000 }, (_, at) => wide(at + sessions - 2_000)));
      const made = (await rewriterOf(limits).rewrite({ ...all, base, level1Files })) ?? [];
      expect(made.length).toBeGreaterThan(2);
      const read = byKey((await Promise.all(made.map((file) => files.read([file])))).flat());
      expect(read).toEqual(Array.from({ length: sessions }, (_, at) => wide(at)));
    },
    PATIENCE_MS,
  );

  test('writes exactly the facts whose keys are in the range, including both bounds', async () => {
    const keys = [FULL_KEY_RANGE.from, -1n, 0n, 1n, FULL_KEY_RANGE.to].map((sessionKey) => aFact({ sessionKey }));
    const level1Files = await written(keys);
    const inside = async (from: bigint, to: bigint) => {
      const made = await tiny.rewrite({ ...all, range: { from, to }, base: undefined, level1Files });
      return made && (await files.read(made)).map(({ sessionKey }) => sessionKey).sort((a, b) => (a < b ? -1 : 1));
    };
    expect(await inside(-1n, 0n)).toEqual([-1n, 0n]);
    expect(await inside(FULL_KEY_RANGE.from, -1n)).toEqual([FULL_KEY_RANGE.from, -1n]);
    expect(await inside(1n, FULL_KEY_RANGE.to)).toEqual([1n, FULL_KEY_RANGE.to]);
    expect(await inside(2n, 9n)).toBeUndefined();
  });

  test('does not fetch the base file if level 1 has no facts in the range, and leaves no temporary file', async () => {
    const [base] = await written([aFact({ sessionKey: 5n })]);
    const level1Files = await written([aFact({ sessionKey: 50n })]);
    objects.gets.length = 0;
    const range = { from: 0n, to: 9n };
    expect(await tiny.rewrite({ ...all, range, base, level1Files })).toBeUndefined();
    expect(objects.gets).toEqual(level1Files.map(factObjectKey));
    expect(readdirSync(join(folder, 'drafts'))).toEqual([]);
  });

  test('merges the facts of a session that is in every level 1 file', async () => {
    const facts = Array.from({ length: 20 }, (_, at) => aFact({ firstTimeMs: MAY_31 - at, completed: at === 3 }));
    const level1Files = (await Promise.all(facts.map((fact) => written([fact])))).flat();
    const made = (await tiny.rewrite({ ...all, base: undefined, level1Files })) ?? [];
    expect(await files.read(made)).toEqual(
      [aFact({ firstTimeMs: MAY_31 - 19, completed: true })].map((fact) => ({ ...fact })),
    );
  });

  test('splits a range with unevenly distributed keys into files with similar numbers of facts', async () => {
    const skewed = (count: number, from: bigint) =>
      Array.from({ length: count }, (_, at) => aFact({ sessionKey: from + BigInt(at) }));
    const [base] = await written(skewed(500, 0n));
    const level1Files = await written([...skewed(700, 400n), aFact({ sessionKey: FULL_KEY_RANGE.to })]);
    const made = await rewriterOf({ fileSessionsMax: 500, chunkFactsMax: 90 }).rewrite({
      ...all,
      base,
      level1Files,
    });
    expect(made?.map(({ factCount }) => factCount)).toEqual([367, 367, 367]);
  });

  test.each(['base', 'level 1'] as const)('throws if a %s file is damaged, and stores nothing', async (of) => {
    const [base] = await written([aFact()]);
    const level1Files = await written([aFact()]);
    const [damaged] = of === 'base' ? [base] : level1Files;
    if (damaged !== undefined) objects.stored.set(factObjectKey(damaged), Uint8Array.of(1));
    const before = objects.stored.size;
    const fresh = createDuckDbBaseRewriter(objects, { folder: mkdtempSync(join(root, 'new-')) });
    await expect(fresh.rewrite({ ...all, base, level1Files })).rejects.toThrow('is damaged');
    expect(objects.stored.size).toBe(before);
  });
});

test(
  'after imports, minor and major compactions of real files, the overview matches the events',
  async () => {
    const range = { since: 0, untilMs: MAY_31 + 9 * DAY_MS, timeZone: 'UTC' };
    const some = fc.array(someEvent, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(some, fc.array(some, { minLength: 1, maxLength: 4 }), async (imported, rounds) => {
        const clock = { now: () => Date.now() };
        const stores = {
          fresh: createMemoryFreshFacts(),
          manifests: createMemoryManifests(),
          factReader: files,
          writer,
          rewriter: tiny,
          clock,
        };
        const events = [...imported];
        await importFacts(stores, FUNNEL, imported, { fileSessionsMax: 3 });
        for (const added of rounds) {
          await addFresh(stores.fresh, FUNNEL, added);
          events.push(...added);
          for (const work of [minor, major]) {
            for (const done of await work(stores)) expect(done).toMatchObject({ outcome: 'compacted' });
            const manifest = await stores.manifests.read(FUNNEL);
            expect(
              faultsOf(
                manifest,
                manifest.files.map(({ name }) => name),
              ),
            ).toEqual([]);
            expect(await readOverview(asNewProcess(stores), FUNNEL, { range, filters: {} })).toEqual(
              expectedOverview(events, { sinceMs: 0, untilMs: range.untilMs }),
            );
          }
          expect((await stores.manifests.read(FUNNEL)).files.every(isBase)).toBe(true);
        }
      }),
      { numRuns: 6 },
    );
  },
  PATIENCE_MS,
);
