import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { bundleFunction } from '../../infra/bundles/bundle.ts';
import type { Grouping } from '../../shared/analytics/facts/counts.ts';
import { countSessionsInFiles } from '../../shared/analytics/facts/duckdb/count-sessions-in-files.ts';
import { createSandboxedDuckDb } from '../../shared/analytics/facts/duckdb/duckdb.ts';
import { readAcquisition } from '../../shared/analytics/queries/acquisition.ts';
import { readOverview } from '../../shared/analytics/queries/overview.ts';
import type { SnapshotPorts } from '../../shared/analytics/queries/snapshot.ts';
import { readTimeseries } from '../../shared/analytics/queries/timeseries.ts';
import { type Raw, type RawQuestion, rawInDuckdb, rawInSqlite } from './analytics-raw.ts';
import {
  DAY_MS,
  FUNNEL,
  type Funnel,
  makeFunnel,
  makeMergedFile,
  portsOf,
  RANGE,
  saveFunnel,
} from './analytics-reads-data.ts';
import { figure, median, type Row, row } from './table.ts';

type Range = typeof RANGE;
type Read = {
  name: RawQuestion;
  groupings: readonly Grouping[];
  of(ports: SnapshotPorts, range: Range): Promise<unknown>;
};

/** Number of top values per dimension that the SQL returns. It equals `DEPTH` in `snapshot.ts`. */
const DEPTH = 2_000;
const LISTS = ['browser', 'os', 'referrer', 'utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'] as const;
const READS: readonly Read[] = [
  {
    name: 'overview',
    groupings: ['deviceType'],
    of: (ports, range) => readOverview(ports, FUNNEL, { range, filters: {} }),
  },
  {
    name: 'timeseries',
    groupings: ['quarterHour'],
    of: (ports, range) => readTimeseries(ports, FUNNEL, { range, filters: {} }),
  },
  {
    name: 'acquisition',
    groupings: ['quarterHour', ...LISTS],
    of: (ports, range) => readAcquisition(ports, FUNNEL, { range, filters: {} }),
  },
];

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Returns the median milliseconds of several tasks. The tasks alternate, so that other load of the machine affects all
 * of them.
 */
async function beside<Name extends string>(
  rounds: number,
  works: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[];
  const times = new Map(names.map((name): [Name, number[]] => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of names) times.get(name)?.push(await timed(works[name]));
  return Object.fromEntries(names.map((name) => [name, median(times.get(name) ?? [])])) as Record<Name, number>;
}

let shifts = 0;
/** Returns a slightly shorter range, for which no counts are cached. */
const uncachedRange = (range: Range): Range => ({ ...range, untilMs: range.untilMs - ++shifts * 10_000 });

/** With 11 rounds, the median of a cached read differed by up to a factor of two between runs. */
const ROUNDS = 41;

/** Compares the time of a read with the time of the same SQL on one fully merged file. */
async function compareWithMergedFile(read: Read, funnel: Funnel, ports: SnapshotPorts, merged: string): Promise<Row[]> {
  const withConnection = createSandboxedDuckDb(join(merged, '..'));
  const criteria = { sinceMs: RANGE.since, untilMs: RANGE.untilMs, filters: {} };
  const from = `read_parquet('${merged}')`;
  await read.of(ports, RANGE);
  const ms = await beside(ROUNDS, {
    merged: () =>
      withConnection((connection) => countSessionsInFiles({ connection, from, criteria }, read.groupings, DEPTH)),
    counting: () => read.of(ports, uncachedRange(RANGE)),
    counted: () => read.of(ports, RANGE),
  });
  const unmerged = await beside(3, { first: () => read.of(portsOf(funnel), RANGE) });
  const what = `${read.name}, 1M sessions, 90 d, 10 000 dirty`;
  return [
    figure(`${what}: the same SQL on one merged file`, ms.merged, 'ms'),
    figure(`${what}: first read of the funnel in a warm process`, unmerged.first, 'ms'),
    row(`${what}, without cache: ratio to the merged file`, ms.counting / ms.merged, 1.5, '', 'at most'),
    row(`${what}, with cache: ratio to the merged file`, ms.counted / ms.merged, 0.7, '', 'at most'),
  ];
}

/**
 * Measures the time from the start of a process to its first result. The process is bundled as functions are, and the
 * fact files are on disk.
 */
async function coldStart(funnel: Funnel): Promise<Row> {
  const path = await saveFunnel(funnel);
  const bundle = join('dist', 'bench', 'analytics-reads-cold');
  await bundleFunction('bench/analytics-reads-cold', 'test/bench/analytics-reads-cold.ts', bundle);
  const times = [];
  for (let round = 0; round < 7; round++) {
    const { stdout } = await promisify(execFile)(process.execPath, [join(bundle, 'index.mjs'), path]);
    times.push(Number(JSON.parse(stdout).ms));
  }
  return row('first overview of a new process, 1M sessions, 10 000 dirty', median(times), 400, 'ms', 'at most');
}

/** Compares each read, without and with cache, with SQL over raw events. Returns the ratios of the times. */
async function compareWithRawEvents(
  engine: string,
  rounds: number,
  raw: Raw,
  ports: SnapshotPorts,
  sessions: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const read of READS) {
    const counted = await raw.ask(read.name);
    if (counted !== sessions) throw new Error(`${engine} counts ${counted} of ${sessions} sessions.`);
    const ms = await beside(rounds, {
      raw: () => raw.ask(read.name),
      counting: () => read.of(ports, uncachedRange(RANGE)),
      counted: () => read.of(ports, RANGE),
    });
    const what = `${read.name}: ${Math.round(ms.raw)} ms by SQL over raw events in ${engine}`;
    rows.push(
      figure(`${what}, ratio to the read without cache`, ms.raw / ms.counting, 'times'),
      figure(`${what}, ratio to the read with cache`, ms.raw / ms.counted, 'times'),
    );
  }
  raw.close();
  return rows;
}

/**
 * Prints how many milliseconds reads take without and with cache, for several numbers of sessions and several ranges.
 * 1 % of the sessions are dirty, but at most 10 000 sessions.
 */
async function growth(folder: string, note: (line: string) => void): Promise<void> {
  note('sessions    dirty  days  overview          timeseries        acquisition       (ms without / with cache)');
  for (const sessions of [10_000, 100_000, 1_000_000, 5_000_000]) {
    const dirty = Math.min(sessions / 100, 10_000);
    const own = join(folder, String(sessions));
    const ports = portsOf(await makeFunnel(own, { sessions, dirty }));
    for (const days of [1, 7, 90]) {
      const range = { ...RANGE, since: RANGE.untilMs - days * DAY_MS };
      const cells = [];
      for (const read of READS) {
        await read.of(ports, range);
        const ms = await beside(5, {
          counting: () => read.of(ports, uncachedRange(range)),
          counted: () => read.of(ports, range),
        });
        cells.push(`${ms.counting.toFixed(1)} / ${ms.counted.toFixed(1)}`.padStart(16));
      }
      note([String(sessions).padStart(8), String(dirty).padStart(7), String(days).padStart(4), ...cells].join('  '));
    }
    await rm(own, { recursive: true });
  }
}

/**
 * Measures the analytics reads of generated funnels.
 *
 * @param note called with rows as soon as they are measured
 * @param log called with the lines of the table of `growth`
 */
export async function analyticsReads(note: (...rows: Row[]) => void, log: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-reads-'));
  const size = { sessions: 1_000_000, dirty: 10_000 };
  const funnel = await makeFunnel(join(folder, 'funnel'), size);
  const base = funnel.files.filter(({ level }) => level === 'base');
  const sum = (of: (file: (typeof base)[number]) => number) => base.reduce((total, file) => total + of(file), 0);
  const bytes = sum((file) => file.bytes) / sum((file) => file.factCount);
  note(row('facts of 1M sessions: bytes per session', bytes, 20, 'bytes', 'at most'));
  const merged = await makeMergedFile(funnel, size.sessions);
  const ports = portsOf(funnel);
  for (const read of READS) note(...(await compareWithMergedFile(read, funnel, ports, merged)));
  note(await coldStart(funnel));
  const events = join(folder, 'events.duckdb');
  note(...(await compareWithRawEvents('DuckDB', 3, await rawInDuckdb(events, size.sessions), ports, size.sessions)));
  const sqlite = await rawInSqlite(join(folder, 'events.sqlite'), events);
  note(...(await compareWithRawEvents('SQLite (node:sqlite)', 1, sqlite, ports, size.sessions)));
  await growth(folder, log);
  await rm(folder, { recursive: true });
}
