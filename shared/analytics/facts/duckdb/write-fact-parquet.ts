import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { ulid } from 'ulid';
import { COMPLETE_UNTIL_COLUMN } from '../fact-columns.ts';
import { type FactFile, type FactObjectWriter, factObjectKey } from '../fact-files.ts';
import { copyToParquetSql, sqlString } from './duckdb.ts';
import { sha256 } from './fact-file-cache.ts';

/** Of 2 048 each, DuckDB's vectors. Small groups of rows let a range of days skip most of a file. */
const ROW_GROUP_ROWS = 15 * 2_048;
/** The longest that a function runs: an older draft is one that a crash left. */
const DRAFT_MS_MAX = 15 * 60_000;

export type ParquetTarget = { objects: FactObjectWriter; folder: string };

/** What a new fact file holds. @param rows SQL of rows with the columns of facts, at least one, one for each session */
export type ParquetWrite = { funnelId: string; rows: string; completeUntilMs: number };

/** Writes a fact file as Parquet: first a draft in the folder, then the object. */
export async function writeFactParquet(
  { objects, folder }: ParquetTarget,
  connection: DuckDBConnection,
  draft: ParquetWrite,
) {
  await removeOrphanedTempFiles(folder);
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
    const held = await heldBy(connection, path);
    const bytes = await readFile(path);
    const { funnelId, completeUntilMs } = draft;
    const file: FactFile = {
      ...{ name: `${funnelId}/${name}`, ...held, completeUntilMs },
      ...{ bytes: bytes.length, sha256: sha256(bytes) },
    };
    await objects.put(factObjectKey(file), bytes);
    return file;
  } finally {
    await rm(path, { force: true });
  }
}

async function heldBy(connection: DuckDBConnection, path: string) {
  const read = await connection.runAndReadAll(
    `SELECT count(*), min(first_time_ms), max(first_time_ms), min(session_key), max(session_key)
     FROM read_parquet(${sqlString(path)})`,
  );
  const [sessions, minTimeMs, maxTimeMs, minKey, maxKey] = read.getRows()[0] ?? [];
  if (typeof minKey !== 'bigint' || typeof maxKey !== 'bigint') throw new Error('A fact file needs at least one fact.');
  return {
    sessions: Number(sessions),
    minTimeMs: Number(minTimeMs),
    maxTimeMs: Number(maxTimeMs),
    minKey,
    maxKey,
  };
}

/** Makes the folder of drafts, and removes those that crashes left. */
export async function removeOrphanedTempFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    const found = await stat(path).catch(() => undefined);
    // Another process may tidy at the same time.
    if (found !== undefined && Date.now() - found.mtimeMs > DRAFT_MS_MAX)
      await rm(path, { recursive: true, force: true });
  }
}
