import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSandboxedDuckDb } from '../../../../../shared/analytics/facts/duckdb/duckdb.ts';
import { createDuckDbFactReader } from '../../../../../shared/analytics/facts/duckdb/duckdb-fact-reader.ts';
import { createDuckDbFactWriter } from '../../../../../shared/analytics/facts/duckdb/duckdb-fact-writer.ts';
import { type Fact, mergeFactsBySession } from '../../../../../shared/analytics/facts/fact.ts';
import { COMPLETE_UNTIL_COLUMN, FACT_COLUMNS } from '../../../../../shared/analytics/facts/fact-columns.ts';
import { factObjectKey } from '../../../../../shared/analytics/facts/fact-files.ts';
import { toFilters } from '../../../../../shared/analytics/queries/filters.ts';
import { aFact, DAY_MS, MAY_31, someEvent } from '../../../../support/analytics/analytics.ts';
import {
  always,
  copies,
  drafts,
  FUNNEL,
  factFiles,
  folder,
  objects,
  write,
} from '../../../../support/analytics/duckdb-fact-store.ts';
import { ignoredMetrics } from '../../../../support/platform/ignored-metrics.ts';

const byKey = (facts: readonly Fact[]) =>
  facts.toSorted((a, b) => (a.sessionKey < b.sessionKey ? -1 : a.sessionKey > b.sessionKey ? 1 : 0));

describe('a fact file', () => {
  test('returns every fact as it was written, with all 64 bits of its session key', async () => {
    const files = factFiles();
    await fc.assert(
      fc.asyncProperty(fc.array(someEvent, { minLength: 1, maxLength: 30 }), async (events) => {
        const facts = [...mergeFactsBySession(events).values()];
        const file = await write(facts);
        expect(byKey(await files.read([file]))).toEqual(byKey(facts));
      }),
      { numRuns: 40 },
    );
  });

  test('keeps times and steps beyond 32 bits, and texts with special characters', async () => {
    const fact = aFact({
      firstTimeMs: 2 ** 45,
      clientTimeMs: -(2 ** 52),
      stepIndex: 2 ** 40,
      utmTerm: 'a\tb\nc\\d\u0000e\'f"g$1',
      utmContent: '😀'.repeat(500),
    });
    const files = factFiles();
    expect(await files.read([await write([fact])])).toEqual([fact]);
  });

  test('is described by name, size, number of facts, and the ranges of first event times and session keys', async () => {
    const file = await write([
      aFact({ sessionKey: 9n, firstTimeMs: MAY_31 + 5 }),
      aFact({ sessionKey: -9n, firstTimeMs: MAY_31 + 7 }),
      aFact({ sessionKey: 3n, firstTimeMs: MAY_31 + 3 }),
    ]);
    expect(file).toMatchObject({
      name: expect.stringMatching(new RegExp(`^${FUNNEL}/[0-9A-HJKMNP-TV-Z]{26}$`)),
      factCount: 3,
      minTimeMs: MAY_31 + 3,
      maxTimeMs: MAY_31 + 7,
      minKey: -9n,
      maxKey: 9n,
      bytes: objects.stored.get(factObjectKey(file))?.length,
    });
  });

  test('is not written if there are no facts; the attempt throws', async () => {
    await expect(write([])).rejects.toThrow('at least one fact');
    expect(objects.stored.size).toBe(0);
    expect(readdirSync(drafts)).toEqual([]);
  });

  test('leaves no temporary file if it cannot be stored', async () => {
    const put = () => Promise.reject(new Error('no network'));
    const failing = createDuckDbFactWriter({ ...objects, put }, { folder: drafts });
    await expect(failing.write(FUNNEL, [aFact()], 0)).rejects.toThrow('no network');
    expect(readdirSync(drafts)).toEqual([]);
  });

  test('is sorted by the time of the first event, has the declared columns, and is compressed with zstd', async () => {
    const facts = Array.from({ length: 100 }, (_, at) =>
      aFact({ sessionKey: BigInt(at), firstTimeMs: MAY_31 + ((at * 37) % 100) }),
    );
    await factFiles().read([await write(facts)]);
    const path = join(folder, copies()[0] ?? '');
    await createSandboxedDuckDb(folder)(async (connection) => {
      const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
      const times = (await rows(`SELECT first_time_ms FROM read_parquet('${path}')`)).flat().map(Number);
      expect(times).toEqual(facts.map((_, at) => MAY_31 + at));
      const columns = await rows(`SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet('${path}'))`);
      const declared = [...Object.values(FACT_COLUMNS), COMPLETE_UNTIL_COLUMN];
      expect(columns).toEqual(declared.map(({ name, type }) => [name, type]));
      expect(await rows(`SELECT DISTINCT compression FROM parquet_metadata('${path}')`)).toEqual([['ZSTD']]);
    });
  });

  test('needs at most 20 bytes per session for 20,000 sessions with typical values', async () => {
    let seed = 7n;
    const random = (under: number) => {
      seed = BigInt.asUintN(64, seed * 6364136223846793005n + 1442695040888963407n);
      return Number((seed >> 33n) % BigInt(under));
    };
    const pick = <T>(values: readonly [T, ...T[]]): T =>
      values[Math.min(random(values.length), random(values.length))] ?? values[0];
    const facts = Array.from({ length: 20_000 }, (_, at) => {
      const timeMs = MAY_31 - random(90) * DAY_MS - random(DAY_MS);
      return aFact({
        firstTimeMs: timeMs,
        clientTimeMs: timeMs,
        stepIndex: pick([0, null, 1]),
        sessionKey: BigInt.asIntN(64, BigInt(at) * 0x9e3779b97f4a7c15n),
        referrer: pick(['direct', 'search.example', 'social.example', 'news.example', 'blog.example']),
        utmSource: pick(['', 'search', 'newsletter', 'social']),
        utmMedium: pick(['', 'cpc', 'mail']),
        utmCampaign: pick(['', 'spring', 'summer', 'autumn', 'winter']),
        deviceType: pick(['mobile', 'desktop', 'tablet']),
        browser: pick(['chrome', 'safari', 'firefox', 'edge']),
        os: pick(['ios', 'android', 'windows', 'macos']),
        started: random(2) === 0,
        completed: random(10) === 0,
      });
    });
    const { bytes } = await write(facts);
    expect(bytes / facts.length).toBeLessThanOrEqual(20);
  });
});

describe('findBySessionKeys', () => {
  test('returns the requested sessions and no other, from all files', async () => {
    const files = factFiles();
    const first = await write([aFact({ sessionKey: 1n }), aFact({ sessionKey: 2n })]);
    const second = await write([aFact({ sessionKey: 2n ** 62n + 1n }), aFact({ sessionKey: 2n ** 62n })]);
    const found = await files.findBySessionKeys([first, second], [2n, 2n ** 62n + 1n, 5n]);
    expect(byKey(found).map(({ sessionKey }) => sessionKey)).toEqual([2n, 2n ** 62n + 1n]);
  });

  test('does not download a file if no requested key is in its key range', async () => {
    const file = await write([aFact({ sessionKey: 1n }), aFact({ sessionKey: 9n })]);
    expect(await factFiles().findBySessionKeys([file], [-1n, 10n])).toEqual([]);
    expect(await factFiles().findBySessionKeys([file], [])).toEqual([]);
    expect(objects.gets).toEqual([]);
  });
});

describe('counting sessions in fact files', () => {
  test('does not download a file whose facts are all before or all after the time range', async () => {
    const file = await write([aFact({ firstTimeMs: MAY_31 }), aFact({ sessionKey: 2n, firstTimeMs: MAY_31 + 9 })]);
    for (const [sinceMs, untilMs] of [
      [0, MAY_31],
      [MAY_31 + 10, MAY_31 + 20],
    ] as const)
      expect(
        (await factFiles().count([file], { sinceMs, untilMs, filters: {} }, ['deviceType'], 9)).deviceType,
      ).toEqual(new Map());
    expect(objects.gets).toEqual([]);
  });

  test('includes the first instant of a time range and excludes its end', async () => {
    const times = [0, 5, 9].map((at) => MAY_31 + at);
    const file = await write(times.map((timeMs, at) => aFact({ sessionKey: BigInt(at), firstTimeMs: timeMs })));
    const counted = async (since: number, until: number) => {
      const selection = { sinceMs: MAY_31 + since, untilMs: MAY_31 + until, filters: {} };
      return (await factFiles().count([file], selection, ['os'], 9)).os.get('linux')?.sessions ?? 0;
    };
    expect(await Promise.all([counted(0, 10), counted(0, 9), counted(1, 9), counted(5, 6), counted(6, 9)])).toEqual([
      3, 2, 1, 1, 0,
    ]);
  });

  test('reuses a cached result if only the end of the range differs and both ends are after all facts of the files', async () => {
    const files = factFiles(0);
    const file = await write([aFact({ started: true })]);
    const counts = new Map([['desktop', { sessions: 1, starts: 1, completions: 0 }]]);
    for (const later of [1, 2, 3]) {
      const selection = { ...always, untilMs: always.untilMs + later };
      expect((await files.count([file], selection, ['deviceType'], 9)).deviceType).toEqual(counts);
    }
    expect(objects.gets).toHaveLength(1);
    expect((await files.count([file], { ...always, filters: { os: 'ios' } }, ['deviceType'], 9)).deviceType).toEqual(
      new Map(),
    );
    expect((await files.count([file], always, ['os'], 9)).os).toEqual(new Map([['linux', counts.get('desktop')]]));
    expect((await files.count([file], { ...always, untilMs: MAY_31 }, ['os'], 9)).os).toEqual(new Map());
  });

  test('reuses a cached result if queries differ only in time zone or granularity', async () => {
    const files = factFiles(0);
    const file = await write([aFact()]);
    for (const granularity of ['hour', 'day', undefined]) {
      const query = { os: 'linux', browser: undefined, timezone: 'UTC', granularity };
      expect((await files.count([file], { ...always, filters: toFilters(query) }, ['os'], 9)).os.size).toBe(1);
    }
    await files.count([file], { ...always, filters: toFilters({ os: 'linux' }) }, ['os'], 9);
    expect(objects.gets).toHaveLength(1);
  });

  test('evicts cached counts if the long filters in their cache keys exceed the memory limit', async () => {
    const files = createDuckDbFactReader(objects, ignoredMetrics, { folder, cacheBytesMax: 0, countedBytesMax: 1_500 });
    const file = await write([aFact()]);
    const none = (letter: string) => ({ ...always, filters: { utmTerm: letter.repeat(300) } });
    for (const letter of ['a', 'b', 'b', 'a'])
      expect((await files.count([file], none(letter), ['os'], 9)).os).toEqual(new Map());
    expect(objects.gets).toHaveLength(3);
  });

  test('returns its result even if its cache entry is evicted while the file is being downloaded', async () => {
    const [slow, fast] = [await write([aFact()]), await write([aFact()])];
    const arrival = Promise.withResolvers<void>();
    const get = async (name: string) => {
      if (name === slow.name) await arrival.promise;
      return objects.get(name);
    };
    const files = createDuckDbFactReader({ ...objects, get }, ignoredMetrics, { folder, countedBytesMax: 1_500 });
    const first = files.count([slow], always, ['os'], 9);
    for (const letter of ['a', 'b', 'c'])
      await files.count([fast], { ...always, filters: { utmTerm: letter.repeat(300) } }, ['os'], 9);
    arrival.resolve();
    expect((await first).os.size).toBe(1);
  });

  test('does not cache a failure', async () => {
    const file = await write([aFact()]);
    const bytes = objects.stored.get(factObjectKey(file)) ?? new Uint8Array();
    const files = factFiles();
    objects.stored.delete(factObjectKey(file));
    await expect(files.count([file], always, ['os'], 9)).rejects.toThrow();
    objects.stored.set(factObjectKey(file), bytes);
    expect((await files.count([file], always, ['os'], 9)).os).toEqual(
      new Map([['linux', { sessions: 1, starts: 0, completions: 0 }]]),
    );
  });
});
