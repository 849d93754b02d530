import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { ulid } from 'ulid';
import { COMPLETE_UNTIL_COLUMN } from '../fact-columns.ts';
import type { FactFile } from '../fact-files.ts';
import type { FactFileStore } from '../ports.ts';
import { copyToParquetSql, sqlString } from './duckdb.ts';
import { sha256 } from './fact-file-cache.ts';

/**
 * A multiple of DuckDB's vector size. Row groups are small, so that a query for a range of a few days can skip most of
 * a file.
 */
const ROW_GROUP_ROWS = 15 * 2_048;
/** The maximum run time of a Lambda function. Older temporary files were left by a crash. */
const TEMP_FILE_MS_MAX = 15 * 60_000;

export type ParquetTarget = { fileStore: Pick<FactFileStore, 'put'>; folder: string };

/** The content of a new fact file. @param rows SQL that selects at least one fact, and at most one per session */
export type ParquetWrite = { funnelId: string; rows: string; completeUntilMs: number };

/** Writes a fact file: first to a temporary file in the folder, then to the object store. */
export async function writeFactParquet(
  { fileStore, folder }: ParquetTarget,
  connection: DuckDBConnection,
  draft: ParquetWrite,
) {
  await prepareTempFolder(folder);
  const name = ulid();
  const path = join(folder, name);
  try {
    await connection.run(
      copyToParquetSql(
        `SELECT *, ${draft.completeUntilMs}::BIGINT AS ${COMPLETE_UNTIL_COLUMN.name} FROM (${draft.rows})
         ORDER BY first_time_ms, session_key`,
        path,
        ROW_GROUP_ROWS,
      ),
    );
    const coverage = await readCoverage(connection, path);
    const bytes = await readFile(path);
    const { funnelId, completeUntilMs } = draft;
    const file: FactFile = {
      name: `${funnelId}/${name}`,
      ...coverage,
      completeUntilMs,
      bytes: bytes.length,
      sha256: sha256(bytes),
    };
    await fileStore.put(file.name, bytes);
    return file;
  } finally {
    await rm(path, { force: true });
  }
}

async function readCoverage(connection: DuckDBConnection, path: string) {
  const read = await connection.runAndReadAll(
    `SELECT count(*), min(first_time_ms), max(first_time_ms), min(session_key), max(session_key)
     FROM read_parquet(${sqlString(path)})`,
  );
  const [factCount, minTimeMs, maxTimeMs, minKey, maxKey] = read.getRows()[0] ?? [];
  if (typeof minKey !== 'bigint' || typeof maxKey !== 'bigint')
    throw new Error(`The new fact file ${path} has no facts. Write a fact file only for at least one fact.`);
  return {
    factCount: Number(factCount),
    minTimeMs: Number(minTimeMs),
    maxTimeMs: Number(maxTimeMs),
    minKey,
    maxKey,
  };
}

/**
 * Creates the folder for temporary files if it is missing. Deletes the files that crashes left there: those older than
 * `TEMP_FILE_MS_MAX`.
 */
export async function prepareTempFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    const found = await stat(path).catch(() => undefined);
    // `found` is undefined if another process has just deleted the entry.
    if (found !== undefined && Date.now() - found.mtimeMs > TEMP_FILE_MS_MAX)
      await rm(path, { recursive: true, force: true });
  }
}
