import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { systemClock } from '../../platform/clock.ts';
import { timedCache } from '../../platform/timed-cache.ts';
import type { Selection } from '../reads/filters.ts';
import { duckdbWithin, text } from './duckdb.ts';
import { FACT_DIMENSIONS, type Fact } from './fact.ts';
import { factCache } from './fact-cache.ts';
import { FACT_COLUMNS, FACT_PROPERTIES } from './fact-columns.ts';
import {
  type Counts,
  type FactFile,
  type FactObjectReader,
  type FactReader,
  factObjectKey,
  type Grouping,
  QUARTER_MS,
  type Tally,
} from './fact-files.ts';
import { factsOf, fillTable } from './fact-rows.ts';

/** Lambda's /tmp has 512 MB by default, and DuckDB may spill there. */
const CACHE_BYTES_MAX = 300_000_000;
/** What was found in files stays true: they never change. */
const found = <T>(entriesMax: number) =>
  timedCache<T>({ clock: systemClock, ttlMs: Number.POSITIVE_INFINITY, entriesMax });
/** Together 50 MB: of the four lists of files that were read last. */
const REMEMBERED_FACTS_MAX = 50_000;

/** Reads Parquet fact files by DuckDB, through local copies in a folder of /tmp. */
export function duckdbFactReader(
  objects: FactObjectReader,
  { folder = join(tmpdir(), 'facts'), cacheBytesMax = CACHE_BYTES_MAX } = {},
): FactReader {
  const withConnection = duckdbWithin(folder);
  const cache = factCache(folder, cacheBytesMax, (file) => objects.get(factObjectKey(file)));
  const counted = found<Partial<Tally>>(500);
  const rows = found<Fact[]>(4);
  const query = <T>(files: readonly FactFile[], use: (connection: DuckDBConnection, source: string) => Promise<T>) =>
    cache.withCopies(files, (paths) =>
      withConnection((connection) => use(connection, `read_parquet([${paths.map(text).join(', ')}])`)),
    );

  return {
    read: async (files) => {
      if (files.length === 0) return [];
      const load = () => query(files, select);
      const many = files.reduce((sum, { sessions }) => sum + sessions, 0) > REMEMBERED_FACTS_MAX;
      return many ? load() : ((await rows(files.map(({ name }) => name).join(), load)) ?? []);
    },
    find: async (files, sessionKeys) => {
      const holding = files.filter(({ minKey, maxKey }) => sessionKeys.some((key) => key >= minKey && key <= maxKey));
      if (holding.length === 0) return [];
      return query(holding, (connection, from) => selectSessions(connection, from, sessionKeys));
    },
    count: async (files, selection, by) => {
      const { relevant, narrowed } = narrow(files, selection);
      if (relevant.length === 0) return emptyTally(by);
      const key = JSON.stringify([by, relevant.map(({ name }) => name), narrowed]);
      const load = () => query(relevant, (connection, from) => count(connection, from, narrowed, by));
      // The key names the groupings: what is remembered under it has them.
      return ((await counted(key, load)) ?? emptyTally(by)) as Tally<(typeof by)[number]>;
    },
  };
}

const emptyTally = <G extends Grouping>(by: readonly G[]) =>
  Object.fromEntries(by.map((grouping) => [grouping, new Map<string, Counts>()])) as Record<G, Map<string, Counts>>;

const COLUMN_LIST = FACT_PROPERTIES.map((property) => FACT_COLUMNS[property].name).join(', ');

async function select(connection: DuckDBConnection, from: string, where = ''): Promise<Fact[]> {
  const result = await connection.runAndReadAll(`SELECT ${COLUMN_LIST} FROM ${from} ${where}`);
  return factsOf(result.getColumns());
}

async function selectSessions(connection: DuckDBConnection, from: string, keys: readonly bigint[]): Promise<Fact[]> {
  const column = { name: 'session_key', type: 'BIGINT' as const, value: (key: bigint) => key };
  await fillTable(connection, 'wanted', [column], keys);
  return select(connection, from, 'WHERE session_key IN (SELECT session_key FROM temp.wanted)');
}

/** The files a selection touches, and the selection without what they say already: a later now is the same answer. */
function narrow(files: readonly FactFile[], { sinceMs, untilMs, filters }: Selection) {
  const relevant = files.filter(({ minTimeMs, maxTimeMs }) => minTimeMs < untilMs && maxTimeMs >= sinceMs);
  const narrowed: Selection = {
    sinceMs: Math.max(sinceMs, Math.min(...relevant.map(({ minTimeMs }) => minTimeMs))),
    untilMs: Math.min(untilMs, Math.max(...relevant.map(({ maxTimeMs }) => maxTimeMs)) + 1),
    filters,
  };
  return { relevant, narrowed };
}

const groupSql = (grouping: Grouping): string =>
  grouping === 'quarter' ? `first_time_ms // ${QUARTER_MS}` : FACT_COLUMNS[grouping].name;

async function count<G extends Grouping>(
  connection: DuckDBConnection,
  from: string,
  { sinceMs, untilMs, filters }: Selection,
  by: readonly G[],
): Promise<Tally<G>> {
  const values: DuckDBValue[] = [BigInt(sinceMs), BigInt(untilMs)];
  const conditions = ['first_time_ms >= $1', 'first_time_ms < $2'];
  for (const dimension of FACT_DIMENSIONS) {
    const value = filters[dimension];
    if (value !== undefined) conditions.push(`${FACT_COLUMNS[dimension].name} = $${values.push(value)}`);
  }
  const groups = by.map((_, at) => `g${at}`).join(', ');
  const result = await connection.runAndReadAll(
    `SELECT ${groups}, count(*), count(*) FILTER (started), count(*) FILTER (completed)
     FROM (SELECT ${by.map((grouping, at) => `${groupSql(grouping)} AS g${at}`).join(', ')}, started, completed
           FROM ${from} WHERE ${conditions.join(' AND ')})
     GROUP BY GROUPING SETS (${by.map((_, at) => `(g${at})`).join(', ')})`,
    values,
  );
  const tally = emptyTally(by);
  for (const row of result.getRows()) {
    const [sessions, starts, completions] = row.slice(by.length).map(Number);
    const at = row.findIndex((value) => value !== null);
    const grouping = by[at];
    if (grouping === undefined) continue;
    tally[grouping].set(String(row[at]), {
      sessions: sessions ?? 0,
      starts: starts ?? 0,
      completions: completions ?? 0,
    });
  }
  return tally;
}
