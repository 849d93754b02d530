import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { once, onceAsync } from '../../../platform/once.ts';
import { prepareSpillFolder } from './spill-folder.ts';

/**
 * DuckDB's native library. It is loaded on first use, because loading takes 80 ms or more and queries without files
 * don't need it. It is loaded with `require`, because Node does not find modules of a Lambda layer with `import`. ADR
 * 0021.
 */
export const duckdb = once(
  () => createRequire(import.meta.url)('@duckdb/node-api') as typeof import('@duckdb/node-api'),
);

/** Runs `work` with a new connection. The temporary tables of the connection are dropped afterwards. */
export type WithConnection = <T>(work: (connection: DuckDBConnection) => Promise<T>) => Promise<T>;

export type DuckDbLimits = {
  /** Default: the number of CPUs of the Lambda function. Outside Lambda: at most 2. */
  threads?: number;
  /**
   * DuckDB's memory limit. If the limit is given, DuckDB returns freed memory to the operating system immediately.
   * Default: half of the Lambda function's memory. Outside Lambda: 512 MB.
   */
  memoryMb?: number;
  /** The instance creates a spill folder of its own in this folder. Default: a folder in /tmp. */
  spill?: string;
};

/**
 * Creates an in-memory DuckDB that can access the files of one folder, but neither the network nor extensions. Each
 * call of the returned function has its own connection, and therefore its own temporary tables.
 */
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
    // By default, half of the memory is left to Node, because facts are merged in JavaScript.
    memory_limit: `${size.memoryMb ?? Math.floor((memoryMb ?? 1_024) / 2)}MB`,
    // Makes DuckDB return freed memory to the operating system immediately. By default, it keeps up to 512 MB.
    ...(size.memoryMb !== undefined && {
      allocator_flush_threshold: '1MB',
      allocator_bulk_deallocation_flush_threshold: '1MB',
    }),
  });
  const connection = await created.connect();
  await connection.run(
    [
      `SET temp_directory = ${sqlString(await prepareSpillFolder(size.spill))}`,
      `SET allowed_directories = [${sqlString(folder)}]`,
      'SET enable_external_access = false',
      'SET lock_configuration = true',
    ].join('; '),
  );
  connection.closeSync();
  return created;
}

/** Lambda provides one CPU per 1 769 MB. On a laptop, two threads leave room for other work. */
const threads = (memoryMb: number | undefined): number =>
  memoryMb === undefined ? Math.min(2, availableParallelism()) : Math.max(1, Math.round(memoryMb / 1_769));

export const sqlString = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** The statement that writes the rows of a SELECT to a Parquet file. @param groupRows rows per row group */
export const copyToParquetSql = (rows: string, path: string, groupRows: number): string =>
  `COPY (${rows}) TO ${sqlString(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows})`;

/** DuckDB errors have no code; only the message identifies them. */
export const isOutOfMemory = (cause: unknown): boolean =>
  cause instanceof Error && cause.message.startsWith('Out of Memory Error');
