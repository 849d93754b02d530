import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { once, onceAsync } from '../../../platform/once.ts';
import { createSpillFolder } from './spill-folder.ts';

/**
 * DuckDB with its native library, loaded on first use: it costs 80 ms and more, and a read without files needs none.
 * By require, because Node finds what a Lambda layer carries that way only.
 */
export const duckdb = once(
  () => createRequire(import.meta.url)('@duckdb/node-api') as typeof import('@duckdb/node-api'),
);

/** Runs `work` with a connection of its own, whose temporary tables are gone afterwards. */
export type WithConnection = <T>(work: (connection: DuckDBConnection) => Promise<T>) => Promise<T>;

export type DuckDbLimits = {
  /** Absent: as many as the function's memory brings processors. */
  threads?: number;
  /** What it may hold; freed memory goes back at once. Absent: half of the function's, or of a gigabyte. */
  memoryMb?: number;
  /** Where it may put what it can not hold. Absent: in /tmp. */
  spill?: string;
};

/** An in-memory DuckDB that can reach the files of one folder, and nothing else: no network, no extension. */
export function createSandboxedDuckDb(folder: string, size: DuckDbLimits = {}): WithConnection {
  const start = onceAsync(() => instance(folder, size));
  return async (work) => {
    const connection = await (await start()).connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  };
}

async function instance(folder: string, size: DuckDbLimits): Promise<DuckDBInstance> {
  await mkdir(folder, { recursive: true });
  const memoryMb = Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE) || undefined;
  const created = await duckdb().DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    threads: String(size.threads ?? threads(memoryMb)),
    // The rest is for Node and the rows that are merged there.
    memory_limit: `${size.memoryMb ?? Math.floor((memoryMb ?? 1_024) / 2)}MB`,
    // By default it keeps up to 512 MB of freed memory for what comes next.
    ...(size.memoryMb !== undefined && {
      allocator_flush_threshold: '1MB',
      allocator_bulk_deallocation_flush_threshold: '1MB',
    }),
  });
  const connection = await created.connect();
  await connection.run(
    `SET temp_directory = ${sqlString(await createSpillFolder(size.spill))}; SET allowed_directories = [${sqlString(folder)}]; SET enable_external_access = false; SET lock_configuration = true`,
  );
  connection.closeSync();
  return created;
}

/** Lambda gives one CPU for 1 769 MB; on a laptop two threads leave room for everything else. */
const threads = (memoryMb: number | undefined): number =>
  memoryMb === undefined ? Math.min(2, availableParallelism()) : Math.max(1, Math.round(memoryMb / 1_769));

/** A text as an SQL literal. */
export const sqlString = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** The statement that writes the rows of a SELECT to a Parquet file. @param groupRows so many are read or skipped together */
export const copyToParquetSql = (rows: string, path: string, groupRows: number): string =>
  `COPY (${rows}) TO ${sqlString(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows})`;

/** DuckDB tells its errors by their texts alone. */
export const isOutOfMemory = (cause: unknown): boolean =>
  cause instanceof Error && cause.message.startsWith('Out of Memory Error');
