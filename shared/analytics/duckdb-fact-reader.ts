import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { systemClock } from '../platform/clock.ts';
import { timedCache } from '../platform/timed-cache.ts';
import { duckdbWithin, text } from './duckdb.ts';
import { FACT_DIMENSIONS, type Fact } from './fact.ts';
import { factCache } from './fact-cache.ts';
import { FACT_COLUMNS, FACT_PROPERTIES } from './fact-columns.ts';
import { type Counts, type FactFile, type FactObjectReader, type FactReader, factObjectKey } from './fact-files.ts';
import { factsOf, fillTable } from './fact-rows.ts';
import type { Dimension, Selection } from './filters.ts';

/** Lambda's /tmp has 512 MB by default, and DuckDB may spill there. */
const CACHE_BYTES_MAX = 300_000_000;
/** What was found in files stays true: they never change. */
const found = <T>(entriesMax: number) =>
  timedCache<T>({ clock: systemClock, ttlMs: Number.POSITIVE_INFINITY, entriesMax });
/** Together 50 MB: of the four lists of files that were read last. */
const REMEMBERED_FACTS_MAX = 50_000;

const NONE: ReadonlyMap<string, Counts> = new Map();

/** Reads Parquet fact files by DuckDB, through local copies in a folder of /tmp. */
export function duckdbFactReader(
  objects: FactObjectReader,
  { folder = join(tmpdir(), 'facts'), cacheBytesMax = CACHE_BYTES_MAX } = {},
): FactReader {
  const withConnection = duckdbWithin(folder);
  const cache = factCache(folder, cacheBytesMax, (file) => objects.get(factObjectKey(file)));
  const counted = found<ReadonlyMap<string, Counts>>(500);
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
    countBy: async (files, selection, by) => {
      const { relevant, narrowed } = narrow(files, selection);
      if (relevant.length === 0) return NONE;
      const key = JSON.stringify([by, relevant.map(({ name }) => name), narrowed]);
      const load = () => query(relevant, (connection, from) => count(connection, from, narrowed, by));
      return (await counted(key, load)) ?? NONE;
    },
  };
}

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

async function count(
  connection: DuckDBConnection,
  from: string,
  { sinceMs, untilMs, filters }: Selection,
  by: Dimension,
): Promise<ReadonlyMap<string, Counts>> {
  const group = FACT_COLUMNS[by].name;
  const values: DuckDBValue[] = [BigInt(sinceMs), BigInt(untilMs)];
  const conditions = ['first_time_ms >= $1', 'first_time_ms < $2'];
  for (const dimension of FACT_DIMENSIONS) {
    const value = filters[dimension];
    if (value !== undefined) conditions.push(`${FACT_COLUMNS[dimension].name} = $${values.push(value)}`);
  }
  const result = await connection.runAndReadAll(
    `SELECT ${group}, count(*), count(*) FILTER (started), count(*) FILTER (completed)
     FROM ${from} WHERE ${conditions.join(' AND ')} GROUP BY ${group}`,
    values,
  );
  return new Map(
    result
      .getRows()
      .map(([value, sessions, starts, completions]) => [
        String(value),
        { sessions: Number(sessions), starts: Number(starts), completions: Number(completions) },
      ]),
  );
}
