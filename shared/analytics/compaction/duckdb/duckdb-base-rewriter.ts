import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { createSandboxedDuckDb, isOutOfMemory, sqlString } from '../../facts/duckdb/duckdb.ts';
import { createFactFileCache } from '../../facts/duckdb/fact-file-cache.ts';
import {
  createTempTable,
  decodeFactRows,
  FACT_COLUMN_LIST,
  FACT_SELECT,
  FACT_TABLE_COLUMNS,
} from '../../facts/duckdb/fact-rows.ts';
import { type ParquetTarget, writeFactParquet } from '../../facts/duckdb/write-fact-parquet.ts';
import { FACT_DIMENSIONS, mergeFactsBySession } from '../../facts/fact.ts';
import { FACT_COLUMNS } from '../../facts/fact-columns.ts';
import type { FactFile } from '../../facts/fact-files.ts';
import type { FactFileStore } from '../../facts/ports.ts';
import type { BaseRewriter, KeyRange, RewriteRequest } from '../ports.ts';

/**
 * Maximum bytes of local copies of fact files. The copies are kept, because level 1 files are read again for every
 * range. Lambda's /tmp has 512 MB by default, and DuckDB needs the rest for new files and for spilling.
 */
const CACHE_BYTES_MAX = 200_000_000;
/** Maximum sessions in a base file. DuckDB sorts the rows of a file in memory, and queries download the whole file. */
const FILE_SESSIONS_MAX = 500_000;
/** Number of level 1 facts that JavaScript merges at a time, together with the base facts of their sessions. */
const CHUNK_FACTS_MAX = 5_000;
/**
 * Target for the bytes of text in a base file. A usual session has 40 bytes of text, but a session of an attacker can
 * have more than 5 000 bytes. Therefore, `FILE_SESSIONS_MAX` alone does not limit the size of a file enough.
 */
const FILE_TEXT_BYTES_MAX = 50_000_000;
/**
 * Limits of DuckDB. Its memory must hold all rows of one file and the buffers for reading and writing, because DuckDB
 * does not spill sorts of long texts.
 */
const SIZE = { threads: 1, memoryMb: 256 };

type Limits = { fileSessionsMax: number; fileTextBytesMax: number; chunkFactsMax: number };
type Options = Partial<Limits> & { folder?: string; memoryMb?: number };

/**
 * Merges local copies of Parquet fact files in /tmp. Sessions with facts in level 1 are loaded into JavaScript, where
 * the merge is implemented. DuckDB copies all other sessions from the old base file to the new ones.
 */
export function createDuckDbBaseRewriter(
  fileStore: Pick<FactFileStore, 'get' | 'put'>,
  given: Options = {},
): BaseRewriter {
  const { folder, memoryMb, ...limits } = {
    folder: join(tmpdir(), 'fact-bases'),
    memoryMb: SIZE.memoryMb,
    fileSessionsMax: FILE_SESSIONS_MAX,
    fileTextBytesMax: FILE_TEXT_BYTES_MAX,
    chunkFactsMax: CHUNK_FACTS_MAX,
    ...given,
  };
  const withConnection = createSandboxedDuckDb(folder, { ...SIZE, memoryMb });
  const cache = createFactFileCache(join(folder, 'copies'), CACHE_BYTES_MAX, ({ name }) => fileStore.get(name));
  const drafts = { fileStore, folder: join(folder, 'drafts') };
  const withView = (files: readonly FactFile[], view: string, range: KeyRange, use: Use) =>
    cache.withCopies(files, async (paths) => use(viewSql(view, paths, range)));
  return {
    rewrite: (request) =>
      withConnection((connection) =>
        withView(request.level1Files, 'level1', request.range, async (level1ViewSql) => {
          await connection.run(level1ViewSql);
          const level1Facts = await numberOf(connection, 'SELECT count(*) FROM temp.level1');
          if (level1Facts === 0) return undefined;
          const baseFiles = request.base === undefined ? [] : [request.base];
          return withView(baseFiles, 'base', request.range, async (baseViewSql) => {
            await connection.run(baseViewSql);
            return rewriteParts(connection, drafts, { ...limits, ...request }, level1Facts);
          });
        }),
      ),
  };
}

type Use = (viewSql: string) => Promise<FactFile[] | undefined>;

/**
 * The bounds are cast from text. If the bound -2^63 is not quoted, DuckDB first reads its digits as a positive number,
 * which is too large for BIGINT.
 */
const within = (key: string, { from, to }: KeyRange): string => `${key} BETWEEN '${from}'::BIGINT AND '${to}'::BIGINT`;

function viewSql(view: string, paths: readonly string[], range: KeyRange): string {
  const nulls = FACT_TABLE_COLUMNS.map(({ name, type }) => `NULL::${type} AS ${name}`).join(', ');
  const rows =
    paths.length === 0
      ? `SELECT ${nulls} WHERE false`
      : `SELECT ${FACT_COLUMN_LIST} FROM read_parquet([${paths.map(sqlString).join(', ')}])
         WHERE ${within('session_key', range)}`;
  return `CREATE TEMP VIEW ${view} AS ${rows}`;
}

async function numberOf(connection: DuckDBConnection, sql: string): Promise<number> {
  return Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0]);
}

type Rewrite = RewriteRequest & Limits;

async function rewriteParts(
  connection: DuckDBConnection,
  drafts: ParquetTarget,
  rewrite: Rewrite,
  level1Facts: number,
) {
  const files: FactFile[] = [];
  for (const part of await partsOf(connection, rewrite, level1Facts))
    files.push(...(await rewritePart(connection, drafts, rewrite, part)));
  return files;
}

/**
 * Writes one file for a part of the key range. If memory does not suffice, halves the part and writes several files, or
 * fails if the part has only one session. Parts can have very different sizes, because an attacker can choose session
 * ids with long texts and similar keys.
 */
async function rewritePart(connection: DuckDBConnection, drafts: ParquetTarget, rewrite: Rewrite, part: KeyRange) {
  try {
    return [await mergePart(connection, drafts, rewrite, part)];
  } catch (cause) {
    const sessions = isOutOfMemory(cause) ? await sessionsIn(connection, part) : 0;
    if (sessions < 2) throw cause;
    const files: FactFile[] = [];
    for (const half of await split(connection, part, keysIn(part), Math.ceil(sessions / 2)))
      files.push(...(await rewritePart(connection, drafts, rewrite, half)));
    return files;
  }
}

async function mergePart(connection: DuckDBConnection, drafts: ParquetTarget, rewrite: Rewrite, part: KeyRange) {
  try {
    await mergeLevel1(connection, part, rewrite.chunkFactsMax);
    const rows = `
      SELECT ${FACT_COLUMN_LIST} FROM temp.base ANTI JOIN temp.merged USING (session_key) WHERE ${within('session_key', part)}
      UNION ALL FROM temp.merged`;
    const { funnelId, completeUntilMs } = rewrite;
    return await writeFactParquet(drafts, connection, { funnelId, rows, completeUntilMs });
  } finally {
    for (const table of ['merged', 'level1_of_part', 'chunk'])
      await connection.run(`DROP TABLE IF EXISTS temp.${table}`);
  }
}

const keysIn = (range: KeyRange): string => `
  SELECT session_key AS key FROM temp.base WHERE ${within('session_key', range)}
  UNION SELECT session_key FROM temp.level1 WHERE ${within('session_key', range)}`;

const sessionsIn = (connection: DuckDBConnection, range: KeyRange): Promise<number> =>
  numberOf(connection, `SELECT count(*) FROM (${keysIn(range)})`);

/** Splits the range into parts with similar numbers of sessions, only as many as the limits of a file require. */
async function partsOf(
  connection: DuckDBConnection,
  { range, base, fileSessionsMax, fileTextBytesMax }: Rewrite,
  level1Facts: number,
): Promise<KeyRange[]> {
  const partsForTexts = Math.ceil((await textBytes(connection)) / fileTextBytesMax);
  if ((base?.factCount ?? 0) + level1Facts <= fileSessionsMax && partsForTexts < 2) return [range];
  const sessions = await sessionsIn(connection, range);
  const parts = Math.max(Math.ceil(sessions / fileSessionsMax), partsForTexts);
  return split(connection, range, keysIn(range), Math.ceil(sessions / parts));
}

/** Bytes of all texts in base and level 1 rows of the range. */
const textBytes = (connection: DuckDBConnection): Promise<number> => {
  const texts = FACT_DIMENSIONS.map((property) => `strlen(${FACT_COLUMNS[property].name})`).join(' + ');
  const sum = (view: string) => `(SELECT coalesce(sum(${texts}), 0) FROM temp.${view})`;
  return numberOf(connection, `SELECT ${sum('base')} + ${sum('level1')}`);
};

/** Splits the range into parts of about `perPart` rows. All rows of a key are in one part. */
async function split(connection: DuckDBConnection, range: KeyRange, keys: string, perPart: number) {
  const ends = await connection.runAndReadAll(
    `SELECT DISTINCT key
     FROM (SELECT key, row_number() OVER (ORDER BY key) AS position, max(key) OVER () AS last FROM (${keys}))
     WHERE position % ${perPart} = 0 AND key < last ORDER BY key`,
  );
  const parts: KeyRange[] = [];
  let { from } = range;
  for (const [end] of ends.getRows()) {
    if (typeof end !== 'bigint') continue;
    parts.push({ from, to: end });
    from = end + 1n;
  }
  return [...parts, { from, to: range.to }];
}

/**
 * Creates the table `merged` with one fact for each session that is in the part and has facts in level 1. Merges one
 * chunk of keys at a time, to bound memory.
 */
async function mergeLevel1(connection: DuckDBConnection, part: KeyRange, chunkFactsMax: number): Promise<void> {
  await createTempTable(connection, 'merged', FACT_TABLE_COLUMNS, []);
  // The table is sorted by key, so that a chunk is found without a full scan.
  await connection.run(
    `CREATE TEMP TABLE level1_of_part AS SELECT ${FACT_COLUMN_LIST} FROM temp.level1
     WHERE ${within('session_key', part)} ORDER BY session_key`,
  );
  const keys = 'SELECT session_key AS key FROM temp.level1_of_part';
  for (const chunk of await split(connection, part, keys, chunkFactsMax))
    await mergeChunk(connection, within('session_key', chunk));
}

async function mergeChunk(connection: DuckDBConnection, isInChunk: string): Promise<void> {
  const read = await connection.runAndReadAll(
    `SELECT ${FACT_SELECT} FROM temp.level1_of_part WHERE ${isInChunk}
     UNION ALL
     SELECT ${FACT_SELECT} FROM temp.base
     WHERE ${isInChunk} AND session_key IN (SELECT session_key FROM temp.level1_of_part WHERE ${isInChunk})`,
  );
  const merged = mergeFactsBySession(decodeFactRows(read.getColumns()));
  await createTempTable(connection, 'chunk', FACT_TABLE_COLUMNS, [...merged.values()]);
  await connection.run('INSERT INTO temp.merged FROM temp.chunk; DROP TABLE temp.chunk');
}
