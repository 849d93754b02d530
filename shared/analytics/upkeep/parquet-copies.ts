import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { duckdbWithin, text } from '../facts/duckdb.ts';
import type { StoredObjects } from './stored-objects.ts';

export type ParquetCopy = {
  connection: DuckDBConnection;
  /** What to select from. */
  from: string;
  /** The path of a file that may be written beside the copy. */
  beside: string;
};

/**
 * Runs `use` with a local copy of a Parquet object, which is gone afterwards.
 *
 * @returns undefined when there is no such object
 */
export type WithCopy = <T>(key: string, use: (copy: ParquetCopy) => Promise<T>) => Promise<T | undefined>;

/** What goes into a part of a new file is in memory at once, which may be all that Firehose buffers: 128 MB. */
const SIZE = { threads: 1, memoryMb: 400 };

export function parquetCopies(objects: Pick<StoredObjects, 'get'>, folder: string): WithCopy {
  const connect = duckdbWithin(folder, SIZE);
  return async (key, use) => {
    const bytes = await objects.get(key);
    if (bytes === undefined) return undefined;
    await mkdir(folder, { recursive: true });
    const own = await mkdtemp(join(folder, 'copy-'));
    const path = join(own, 'object.parquet');
    try {
      await writeFile(path, bytes);
      const from = `read_parquet(${text(path)})`;
      return await connect((connection) => use({ connection, from, beside: join(own, 'beside.parquet') }));
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  };
}

/** Session keys as an SQL list. */
export const listOf = (keys: readonly bigint[]): string => `(${keys.length === 0 ? 'NULL' : keys.join(', ')})`;

/** Whether a fact file holds any of these sessions. */
export async function holdsAny(withCopy: WithCopy, key: string, sessionKeys: readonly bigint[]): Promise<boolean> {
  const rows = await withCopy(key, async ({ connection, from }) => {
    const sql = `SELECT 1 FROM ${from} WHERE session_key IN ${listOf(sessionKeys)} LIMIT 1`;
    return (await connection.runAndReadAll(sql)).getRows();
  });
  return rows !== undefined && rows.length > 0;
}
