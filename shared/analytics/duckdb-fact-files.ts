import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { ulid } from 'ulid';
import { boundedMemo } from './bounded-memo.ts';
import { duckdbWithin, text } from './duckdb.ts';
import { FACT_DIMENSIONS, type Fact } from './fact.ts';
import { factCache, sha256 } from './fact-cache.ts';
import { columnName, FACT_COLUMNS } from './fact-columns.ts';
import type { Counts, FactFile, FactFiles } from './fact-files.ts';
import type { FactObjects } from './fact-objects.ts';
import { factsOf, fillFacts, fillTable } from './fact-rows.ts';
import type { Selection } from './filters.ts';

/** Lambda's /tmp has 512 MB by default; drafts and what DuckDB spills need some of it. */
const CACHE_BYTES_MAX = 300_000_000;
const COUNTS_REMEMBERED_MAX = 500;
/** Of 2 048 each, DuckDB's vectors. Small groups of rows let a range of days skip most of a file. */
const ROW_GROUP_ROWS = 15 * 2_048;

const objectKey = ({ name }: Pick<FactFile, 'name'>) => `facts/${name}.parquet`;

/** Fact files as Parquet objects, written and read by DuckDB through local copies in a folder of /tmp. */
export function duckdbFactFiles(
  objects: FactObjects,
  { folder = join(tmpdir(), 'facts'), cacheBytesMax = CACHE_BYTES_MAX } = {},
): FactFiles {
  const withConnection = duckdbWithin(folder);
  const cache = factCache(folder, cacheBytesMax, (file) => objects.get(objectKey(file)));
  const counted = boundedMemo<ReadonlyMap<string, Counts>>(COUNTS_REMEMBERED_MAX);
  const query = <T>(files: readonly FactFile[], use: (connection: DuckDBConnection, source: string) => Promise<T>) =>
    cache.withCopies(files, (paths) =>
      withConnection((connection) => use(connection, `read_parquet([${paths.map(text).join(', ')}])`)),
    );

  return {
    write: async (funnelId, facts) => {
      const draft = await cache.draft();
      try {
        await withConnection((connection) => writeParquet(connection, facts, draft));
        const bytes = await readFile(draft);
        const file = describe(`${funnelId}/${ulid()}`, facts, bytes);
        await objects.put(objectKey(file), bytes);
        await cache.adopt(draft, file);
        return file;
      } finally {
        await rm(draft, { force: true });
      }
    },
    read: async (files) => (files.length === 0 ? [] : query(files, (connection, from) => select(connection, from))),
    find: async (files, sessionKeys) => {
      const holding = files.filter(holdsAny(sessionKeys));
      return holding.length === 0
        ? []
        : query(holding, (connection, from) => selectSessions(connection, from, sessionKeys));
    },
    countBy: async (files, selection, by) => {
      const { relevant, narrowed } = narrow(files, selection);
      if (relevant.length === 0) return new Map();
      const key = JSON.stringify([by, relevant.map(({ name }) => name), narrowed]);
      return counted(key, () =>
        query(relevant, (connection, from) => count(connection, from, narrowed, columnName(by))),
      );
    },
  };
}

async function writeParquet(connection: DuckDBConnection, facts: readonly Fact[], path: string): Promise<void> {
  await fillFacts(connection, 'facts', facts);
  await connection.run(
    `COPY (SELECT * FROM temp.facts ORDER BY first_time_ms, session_key) TO ${text(path)}
     (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS})`,
  );
}

function describe(name: string, facts: readonly Fact[], bytes: Uint8Array): FactFile {
  const [first] = facts;
  if (first === undefined) throw new Error('A fact file needs at least one fact.');
  const file = { minTimeMs: first.timeMs, maxTimeMs: first.timeMs, minKey: first.sessionKey, maxKey: first.sessionKey };
  for (const { timeMs, sessionKey } of facts) {
    file.minTimeMs = Math.min(file.minTimeMs, timeMs);
    file.maxTimeMs = Math.max(file.maxTimeMs, timeMs);
    if (sessionKey < file.minKey) file.minKey = sessionKey;
    if (sessionKey > file.maxKey) file.maxKey = sessionKey;
  }
  return { name, sessions: facts.length, ...file, bytes: bytes.length, sha256: sha256(bytes) };
}

const COLUMN_LIST = FACT_COLUMNS.map(({ name }) => name).join(', ');

async function select(connection: DuckDBConnection, from: string, where = ''): Promise<Fact[]> {
  const result = await connection.runAndReadAll(`SELECT ${COLUMN_LIST} FROM ${from} ${where}`);
  return factsOf(result.getColumns());
}

async function selectSessions(connection: DuckDBConnection, from: string, keys: readonly bigint[]): Promise<Fact[]> {
  const values = (start: number, end: number) => keys.slice(start, end);
  await fillTable(connection, 'wanted', [{ name: 'session_key', type: 'BIGINT', values }], keys.length);
  return select(connection, from, 'WHERE session_key IN (SELECT session_key FROM temp.wanted)');
}

function holdsAny(keys: readonly bigint[]): (file: FactFile) => boolean {
  return ({ minKey, maxKey }) => keys.some((key) => key >= minKey && key <= maxKey);
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
  by: string,
): Promise<ReadonlyMap<string, Counts>> {
  const given = FACT_DIMENSIONS.flatMap((name) =>
    filters[name] === undefined ? [] : [{ name, value: filters[name] }],
  );
  const conditions = [
    'first_time_ms >= $1',
    'first_time_ms < $2',
    ...given.map(({ name }, at) => `${columnName(name)} = $${at + 3}`),
  ];
  const values: DuckDBValue[] = [BigInt(sinceMs), BigInt(untilMs), ...given.map(({ value }) => value)];
  const result = await connection.runAndReadAll(
    `SELECT ${by}, count(*), count(*) FILTER (started), count(*) FILTER (completed)
     FROM ${from} WHERE ${conditions.join(' AND ')} GROUP BY ${by}`,
    values,
  );
  const rows = result.getRows();
  return new Map(
    rows.map(([value, sessions, starts, completions]) => [
      String(value),
      { sessions: Number(sessions), starts: Number(starts), completions: Number(completions) },
    ]),
  );
}
