import { join } from 'node:path';
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { StatementType } from '@duckdb/node-api';
import { createSandboxedDuckDb, sqlString } from '../../../shared/analytics/facts/duckdb/duckdb.ts';
import { type Column, createTempTable } from '../../../shared/analytics/facts/duckdb/fact-rows.ts';
import { UserError } from '../../common/user-error.ts';
import { LAKE_TABLES, type LakeTable } from '../../lake-views/lake-tables.ts';
import { DUCKDB } from '../../lake-views/sql-dialect.ts';
import { LAKE_VIEWS } from '../../lake-views/views.ts';

/** Copies of the lake's files, and the erased sessions, which may still have rows in these files. */
export type LakeCopies = {
  folder: string;
  keys: Record<LakeTable['name'], readonly string[]>;
  erased: readonly { funnelId: string; sessionKey: bigint }[];
};

/**
 * Runs one SELECT over the lake's views in a DuckDB instance that can read only the copies. The instance has limited
 * memory. It spills to `folder`, not to /tmp, because /tmp may be in memory.
 *
 * @param timeZone the time zone in which days begin
 * @throws UserError if the SQL is not exactly one SELECT
 * @throws SqlError if DuckDB rejects the SQL or fails to run it
 */
export async function queryLake<T>(
  { folder, keys, erased }: LakeCopies,
  sql: string,
  timeZone: string,
  use: (result: DuckDBResult) => Promise<T>,
): Promise<T> {
  return createSandboxedDuckDb(folder, { spill: join(folder, 'spill') })(async (connection) => {
    await createTempTable(connection, 'erased_sessions', ERASED_COLUMNS, erased);
    for (const table of LAKE_TABLES) {
      const paths = keys[table.name].map((key) => join(folder, key));
      await withSqlErrors(folder, () =>
        connection.run(`CREATE TEMP VIEW ${table.name} AS FROM (${rowsOf(table, paths)}) AS stored
                        ANTI JOIN temp.erased_sessions USING (funnel_id, session_key)`),
      );
    }
    for (const { name, select } of LAKE_VIEWS)
      await connection.run(`CREATE TEMP VIEW ${name} AS ${select(DUCKDB, timeZone)}`);
    const prepared = await withSqlErrors(folder, () => prepare(connection, sql));
    // SQL can also fail while rows are read, for example if a value cannot be cast.
    return withSqlErrors(folder, async () => use(await prepared.stream()));
  });
}

const ERASED_COLUMNS: readonly Column<LakeCopies['erased'][number]>[] = [
  { name: 'funnel_id', type: 'VARCHAR', value: ({ funnelId }) => funnelId },
  { name: 'session_key', type: 'BIGINT', value: ({ sessionKey }) => sessionKey },
];

function rowsOf({ columns, partition }: LakeTable, paths: readonly string[]): string {
  const partitioned = [...columns, { name: partition, type: 'VARCHAR' }];
  if (paths.length === 0)
    return `SELECT ${partitioned.map(({ name, type }) => `NULL::${type} AS ${name}`).join(', ')} WHERE false`;
  return `FROM read_parquet([${paths.map(sqlString).join(', ')}],
    union_by_name = true, hive_partitioning = true, hive_types = {'${partition}': VARCHAR})`;
}

async function prepare(connection: DuckDBConnection, sql: string) {
  const statements = await extract(connection, sql);
  if (statements.count !== 1)
    throw new UserError(
      'Give exactly one SELECT. A PIVOT is one SELECT only if it lists its values: ON column IN (…).',
    );
  const prepared = await statements.prepare(0);
  if (prepared.statementType !== StatementType.SELECT)
    throw new UserError('Only queries such as SELECT are allowed, and no statements that write or change settings.');
  return prepared;
}

/** Extracts the statements. @throws UserError if there is none, because the error of DuckDB's binding is not useful */
async function extract(connection: DuckDBConnection, sql: string) {
  try {
    return await connection.extractStatements(sql);
  } catch (cause) {
    if (cause instanceof Error && cause.message.startsWith('Failed to extract')) throw cause;
    throw new UserError('There is no SQL: give a SELECT in quotation marks, or in the file of --file.', { cause });
  }
}

/**
 * Turns DuckDB's errors about the SQL into `SqlError`. The message keeps all lines, because one of them shows the
 * position in the SQL.
 */
async function withSqlErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : '';
    if (!/^(?:Failed to extract statements: )?[A-Z][\w ]* Error: /.test(message)) throw cause;
    throw new SqlError(message.replace('Failed to extract statements: ', '').replaceAll(join(folder, '/'), ''), {
      cause,
    });
  }
}

/** DuckDB rejected the SQL, or failed to run it. The message is DuckDB's and can have several lines. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
}
