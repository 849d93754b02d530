import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { importFacts } from '../../../../infra/local/seed/import-facts.ts';
import { commitFiles } from '../../../../shared/analytics/facts/commit-files.ts';
import { createDuckDbFactReader } from '../../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createDuckDbFactWriter } from '../../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { type Fact, mergeFactsBySession } from '../../../../shared/analytics/facts/fact.ts';
import type { FactReader, FactWriter } from '../../../../shared/analytics/facts/ports.ts';
import { conversionRate } from '../../../../shared/analytics/queries/conversion-rate.ts';
import { readOverview } from '../../../../shared/analytics/queries/overview.ts';
import {
  addFresh,
  aFact,
  asNewProcess,
  createMemoryAnalytics,
  createMemoryFactFiles,
  createMemoryFreshFacts,
  DAY_MS,
  expectedOverview,
  MAY_31,
  someEvent,
  someFilters,
} from '../../../support/analytics/analytics.ts';
import { createMemoryFactObjects } from '../../../support/analytics/memory-fact-objects.ts';
import { createMemoryManifests } from '../../../support/analytics/memory-manifests.ts';
import { ignoredMetrics } from '../../../support/platform/ignored-metrics.ts';

const folder = mkdtempSync(join(tmpdir(), 'reads-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LOCATIONS = ['base', 'level 1', 'another of level 1', 'fresh', 'more fresh'] as const;
type Location = (typeof LOCATIONS)[number];
function duckdbFiles(): FactReader & FactWriter {
  const objects = createMemoryFactObjects();
  return {
    ...createDuckDbFactReader(objects, ignoredMetrics, { folder }),
    ...createDuckDbFactWriter(objects, { folder: join(folder, 'drafts') }),
  };
}

const FUNNEL = '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01';

async function stored(files: FactReader & FactWriter, placed: readonly { event: Fact; place: Location }[]) {
  const ports = asNewProcess({
    factReader: files,
    writer: files,
    fresh: createMemoryFreshFacts(),
    manifests: createMemoryManifests(),
    clock: { now: () => MAY_31 },
  });
  const at = (place: Location) => placed.filter((each) => each.place === place).map(({ event }) => event);
  await importFacts(ports, FUNNEL, at('base'), { fileSessionsMax: 3 });
  for (const place of ['level 1', 'another of level 1'] as const) {
    const facts = [...mergeFactsBySession(at(place)).values()];
    if (facts.length === 0) continue;
    const file = await files.write(FUNNEL, facts, 0);
    await commitFiles(ports, FUNNEL, [file], MAY_31, (read) => ({
      ...read,
      files: [...read.files, { ...file, level: '1' }],
    }));
  }
  await addFresh(ports.fresh, FUNNEL, at('fresh'));
  for (const event of at('more fresh')) await addFresh(ports.fresh, FUNNEL, [event]);
  return ports;
}

const somePlaced = fc.array(fc.record({ event: someEvent, place: fc.constantFrom(...LOCATIONS) }), { maxLength: 25 });
const someBounds = fc
  .tuple(...([1, 2] as const).map(() => fc.constantFrom(-2 * DAY_MS, -DAY_MS, 0, 1, 2, 3, 2 * DAY_MS)))
  .map(([a = 0, b = 0]) => ({ sinceMs: MAY_31 + Math.min(a, b), untilMs: MAY_31 + Math.max(a, b) }));

describe.each([
  ['Parquet files', duckdbFiles, 60],
  ['files in memory', createMemoryFactFiles, 300],
])('sessions with events in several places of the storage (%s)', (_, filesOf, numRuns) => {
  const files = filesOf();

  test('are counted once by each read whose range and filters they match', async () => {
    await fc.assert(
      fc.asyncProperty(somePlaced, someBounds, someFilters, async (placed, bounds, filters) => {
        const ports = await stored(files, placed);
        const { sinceMs, untilMs } = bounds;
        const events = placed.map(({ event }) => event);
        for (const given of [filters, {}, filters]) {
          const range = { since: sinceMs, untilMs, timeZone: 'UTC' };
          const read = await readOverview(ports, FUNNEL, { range, filters: given });
          expect(read).toEqual(expectedOverview(events, { ...bounds, filters: given }));
        }
      }),
      { numRuns },
    );
  });

  test('are counted once in the range “all”', async () => {
    await fc.assert(
      fc.asyncProperty(somePlaced, async (placed) => {
        const range = { since: 'first session', untilMs: MAY_31 + 2 * DAY_MS, timeZone: 'Europe/Berlin' } as const;
        const read = await readOverview(await stored(files, placed), FUNNEL, { range, filters: {} });
        const events = placed.map(({ event }) => event);
        expect(read).toEqual(expectedOverview(events, { sinceMs: 0, untilMs: range.untilMs }));
      }),
      { numRuns: numRuns / 2 },
    );
  });
});

test('range and filters apply to the first event of a session, even if that event arrived last', async () => {
  const ports = await stored(createMemoryFactFiles(), [
    { event: aFact({ firstTimeMs: MAY_31, utmSource: 'news', started: true }), place: 'base' },
    { event: aFact({ firstTimeMs: MAY_31 - DAY_MS, utmSource: 'mail' }), place: 'fresh' },
  ]);
  const today = { since: MAY_31, untilMs: MAY_31 + DAY_MS, timeZone: 'UTC' };
  const always = { ...today, since: 0 };
  const starts = async (range: typeof today, utmSource: string) =>
    (await readOverview(ports, FUNNEL, { range, filters: { utmSource } })).overview.totalStarts;
  expect(await starts(today, 'news')).toBe(0);
  expect(await starts(always, 'news')).toBe(0);
  expect(await starts(always, 'mail')).toBe(1);
});

test('importing the same facts twice counts them once', async () => {
  const facts = [aFact(), aFact({ sessionKey: 2n, started: true })];
  const ports = createMemoryAnalytics();
  for (let run = 0; run < 2; run++) await importFacts(ports, FUNNEL, facts);
  const range = { since: 0, untilMs: MAY_31 + 1, timeZone: 'UTC' };
  expect(await readOverview(ports, FUNNEL, { range, filters: {} })).toMatchObject({
    overview: { totalStarts: 1 },
    devices: [{ total: 0 }, { total: 0 }, { total: 2 }],
  });
});

test('importFacts sorts facts by session key, and writes a new file after a given number of sessions', async () => {
  const facts = Array.from({ length: 10 }, (_, at) =>
    aFact({ sessionKey: BigInt((at * 7) % 10), firstTimeMs: MAY_31 + at }),
  );
  const ports = createMemoryAnalytics();
  await importFacts(ports, FUNNEL, facts, { fileSessionsMax: 4 });
  const { files } = await ports.manifests.read(FUNNEL);
  expect(files.map(({ factCount, minKey, maxKey, level }) => [factCount, minKey, maxKey, level])).toEqual([
    [4, 0n, 3n, 'base'],
    [4, 4n, 7n, 'base'],
    [2, 8n, 9n, 'base'],
  ]);
});

test.each([
  [0, 0, 0],
  [3, 1, 33.33],
  [3, 2, 66.67],
  [1, 1, 100],
  [8, 1, 12.5],
])('the conversion rate of %i starts and %i completions is %f percent', (starts, completions, percent) => {
  expect(conversionRate(starts, completions)).toBe(percent);
});
