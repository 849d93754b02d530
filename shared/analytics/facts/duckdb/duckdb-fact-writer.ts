import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FactFileStore, FactWriter } from '../ports.ts';
import { createSandboxedDuckDb, type DuckDbLimits } from './duckdb.ts';
import { createTempTable, FACT_TABLE_COLUMNS } from './fact-rows.ts';
import { writeFactParquet } from './write-fact-parquet.ts';

/** Writes Parquet fact files with DuckDB, through temporary files in `folder`. */
export function createDuckDbFactWriter(
  fileStore: Pick<FactFileStore, 'put'>,
  { folder = join(tmpdir(), 'fact-drafts'), size }: { folder?: string; size?: DuckDbLimits } = {},
): FactWriter {
  const withConnection = createSandboxedDuckDb(folder, size);
  return {
    write: (funnelId, facts, completeUntilMs) =>
      withConnection(async (connection) => {
        await createTempTable(connection, 'facts', FACT_TABLE_COLUMNS, facts);
        const rows = 'FROM temp.facts';
        return writeFactParquet({ fileStore, folder }, connection, { funnelId, rows, completeUntilMs });
      }),
  };
}
