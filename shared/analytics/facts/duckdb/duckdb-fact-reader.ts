import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../../platform/logger.ts';
import type { Counts, CountsByGroup, Grouping } from '../counts.ts';
import type { SessionCriteria } from '../criteria.ts';
import type { Fact } from '../fact.ts';
import type { FactFile } from '../fact-files.ts';
import type { FactFileStore, FactReader } from '../ports.ts';
import { countSessionsInFiles, countValuesInFiles } from './count-sessions-in-files.ts';
import { createSandboxedDuckDb, sqlString } from './duckdb.ts';
import { createFactFileCache } from './fact-file-cache.ts';
import { createTempTable, decodeFactRows, FACT_SELECT } from './fact-rows.ts';

/** Maximum bytes of the local copies. Lambda's /tmp has 512 MB by default, and DuckDB needs the rest for spilling. */
const CACHE_BYTES_MAX = 300_000_000;
/** Maximum bytes of cached counts. Cached counts stay valid, because files never change. */
const COUNTED_BYTES_MAX = 50_000_000;

type Options = {
  folder?: string;
  cacheBytesMax?: number;
  countedBytesMax?: number;
};

/**
 * Reads local copies of Parquet fact files in /tmp with DuckDB.
 *
 * @param log receives the metric `FactFilesUnreadable`, which counts the queries that failed, for any reason. The
 *   metric has an alarm, because a damaged file makes each query fail that reads the file.
 */
export function createDuckDbFactReader(
  fileStore: Pick<FactFileStore, 'get'>,
  log: Pick<Logger, 'recordMetric'>,
  {
    folder = join(tmpdir(), 'facts'),
    cacheBytesMax = CACHE_BYTES_MAX,
    countedBytesMax = COUNTED_BYTES_MAX,
  }: Options = {},
): FactReader {
  const withConnection = createSandboxedDuckDb(folder);
  const cache = createFactFileCache(folder, cacheBytesMax, ({ name }) => fileStore.get(name));
  const counts = new LRUCache<string, CountsByGroup, () => Promise<CountsByGroup>>({
    maxSize: countedBytesMax,
    sizeCalculation: bytesOf,
    fetchMethod: (_key, _stale, { context: load }) => load(),
    // Without this option, a query fails if its cache entry is evicted while the query runs.
    ignoreFetchAbort: true,
  });

  const query = async <T>(
    files: readonly FactFile[],
    use: (connection: DuckDBConnection, from: string) => Promise<T>,
  ) => {
    try {
      return await cache.withCopies(files, (paths) =>
        withConnection((connection) => use(connection, `read_parquet([${paths.map(sqlString).join(', ')}])`)),
      );
    } catch (cause) {
      log.recordMetric('FactFilesUnreadable');
      throw cause;
    }
  };

  return {
    prefetch: (files) => {
      if (files.length === 0) return;
      withConnection(async () => undefined).catch(ignoreError);
      cache.withCopies(fitting(files, cacheBytesMax), async () => undefined).catch(ignoreError);
    },
    evictExcept: (funnelId, files) => void cache.evictExcept(funnelId, files).catch(ignoreError),
    read: async (files) => (files.length === 0 ? [] : query(files, select)),
    findBySessionKeys: async (files, sessionKeys) => {
      const holding = files.filter(({ minKey, maxKey }) => sessionKeys.some((key) => key >= minKey && key <= maxKey));
      if (holding.length === 0) return [];
      return query(holding, (connection, from) => selectBySessionKeys(connection, from, sessionKeys));
    },
    count: async (files, criteria, by, depth) => {
      const { relevant, narrowed } = narrow(files, criteria);
      if (relevant.length === 0) return nothing(by);
      const key = JSON.stringify([by, depth, relevant.map(({ name }) => name), narrowed]);
      const load = () =>
        query(relevant, (connection, from) =>
          countSessionsInFiles({ connection, from, criteria: narrowed }, by, depth),
        );
      // The cast is safe, because the key contains the groupings of the cached value.
      const context = load as () => Promise<CountsByGroup>;
      return (await counts.forceFetch(key, { context })) as CountsByGroup<(typeof by)[number]>;
    },
    countValues: async (files, criteria, dimension, values) => {
      const { relevant, narrowed } = narrow(files, criteria);
      if (relevant.length === 0 || values.length === 0) return new Map();
      return query(relevant, (connection, from) =>
        countValuesInFiles({ connection, from, criteria: narrowed }, dimension, values),
      );
    },
  };
}

/** `prefetch` and `evictExcept` ignore errors, because a query that needs the files reports its own errors. */
const ignoreError = () => undefined;

/** Returns the longest prefix of `files` that fits into the cache. */
function fitting(files: readonly FactFile[], bytesMax: number): FactFile[] {
  let bytes = 0;
  return files.filter((file) => {
    bytes += file.bytes;
    return bytes <= bytesMax;
  });
}

const nothing = <G extends Grouping>(by: readonly G[]) =>
  Object.fromEntries(by.map((grouping) => [grouping, new Map<string, Counts>()])) as Record<G, Map<string, Counts>>;

/** Estimated bytes of a `Map` entry or cache entry, without the characters of its key. */
const ENTRY_BYTES = 150;

/** Estimates the bytes of a cache entry. The key is included, because it contains the filters, which may be long. */
function bytesOf(counts: CountsByGroup, key: string): number {
  let bytes = ENTRY_BYTES + 2 * key.length;
  for (const byValue of Object.values(counts))
    for (const value of byValue.keys()) bytes += ENTRY_BYTES + 2 * value.length;
  return bytes;
}

async function select(connection: DuckDBConnection, from: string, where = ''): Promise<Fact[]> {
  const result = await connection.runAndReadAll(`SELECT ${FACT_SELECT} FROM ${from} ${where}`);
  return decodeFactRows(result.getColumns());
}

/**
 * Reads only the column of keys first. Usually, it shows that the files contain none of the sessions. Reading all
 * columns takes five times as long.
 */
async function selectBySessionKeys(
  connection: DuckDBConnection,
  from: string,
  keys: readonly bigint[],
): Promise<Fact[]> {
  const column = { name: 'session_key', type: 'BIGINT' as const, value: (key: bigint) => key };
  await createTempTable(connection, 'wanted', [column], keys);
  await connection.run(
    `CREATE TEMP TABLE found AS SELECT session_key FROM ${from} WHERE session_key IN (SELECT session_key FROM temp.wanted)`,
  );
  const [[found] = []] = (await connection.runAndReadAll('SELECT count(*) FROM temp.found')).getRows();
  if (found === 0n) return [];
  return select(connection, from, 'WHERE session_key IN (SELECT session_key FROM temp.found)');
}

/**
 * Returns the files whose times overlap the criteria, and the criteria narrowed to these times. The cache key contains
 * the narrowed criteria. If a query for a range until now is repeated a minute later, it can therefore use the same
 * cache entry.
 */
function narrow(files: readonly FactFile[], { sinceMs, untilMs, filters }: SessionCriteria) {
  const relevant = files.filter(({ minTimeMs, maxTimeMs }) => minTimeMs < untilMs && maxTimeMs >= sinceMs);
  const narrowed: SessionCriteria = {
    sinceMs: Math.max(sinceMs, Math.min(...relevant.map(({ minTimeMs }) => minTimeMs))),
    untilMs: Math.min(untilMs, Math.max(...relevant.map(({ maxTimeMs }) => maxTimeMs)) + 1),
    filters,
  };
  return { relevant, narrowed };
}
