import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ObjectStore } from '../../../platform/object-store.ts';
import { createSandboxedDuckDb, sqlString } from '../../facts/duckdb/duckdb.ts';

export type DownloadedParquet = {
  connection: DuckDBConnection;
  /** The SQL expression that reads the copy, for a FROM clause. */
  from: string;
  /** The path of a file that `use` may write. */
  siblingPath: string;
};

/**
 * Runs `use` with a local copy of a Parquet object, and deletes the copy afterwards.
 *
 * @returns undefined when the object does not exist
 */
export type ParquetDownloader = <T>(
  key: string,
  use: (copy: DownloadedParquet) => Promise<T>,
) => Promise<T | undefined>;

/**
 * Limits of DuckDB. When DuckDB writes a file, a row group must fit into memory. The largest row group is a whole file
 * of Firehose, which buffers up to 128 MB per file.
 */
const SIZE = { threads: 1, memoryMb: 400 };

export function createParquetDownloader(objects: Pick<ObjectStore, 'get'>, folder: string): ParquetDownloader {
  const connect = createSandboxedDuckDb(folder, SIZE);
  return async (key, use) => {
    const bytes = await objects.get(key);
    if (bytes === undefined) return undefined;
    await mkdir(folder, { recursive: true });
    const copyFolder = await mkdtemp(join(folder, 'copy-'));
    const path = join(copyFolder, 'object.parquet');
    try {
      await writeFile(path, bytes);
      const from = `read_parquet(${sqlString(path)})`;
      return await connect((connection) => use({ connection, from, siblingPath: join(copyFolder, 'beside.parquet') }));
    } finally {
      await rm(copyFolder, { recursive: true, force: true });
    }
  };
}

export const sqlKeyList = (keys: readonly bigint[]): string => `(${keys.length === 0 ? 'NULL' : keys.join(', ')})`;

/** Whether a fact file holds any of these sessions. Returns false when the file does not exist. */
export async function containsAnySession(
  withCopy: ParquetDownloader,
  key: string,
  sessionKeys: readonly bigint[],
): Promise<boolean> {
  const rows = await withCopy(key, async ({ connection, from }) => {
    const sql = `SELECT 1 FROM ${from} WHERE session_key IN ${sqlKeyList(sessionKeys)} LIMIT 1`;
    return (await connection.runAndReadAll(sql)).getRows();
  });
  return rows !== undefined && rows.length > 0;
}
