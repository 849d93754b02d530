import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckdbWithin } from './duckdb.ts';
import { storeFacts } from './fact-drafts.ts';
import type { FactObjectWriter, FactWriter } from './fact-files.ts';
import { FACT_TABLE_COLUMNS, fillTable } from './fact-rows.ts';

/** Writes fact files as Parquet by DuckDB, each through a draft in a folder of /tmp. */
export function duckdbFactWriter(
  objects: FactObjectWriter,
  { folder = join(tmpdir(), 'fact-drafts') } = {},
): FactWriter {
  const withConnection = duckdbWithin(folder);
  return {
    write: (funnelId, facts, completeUntilMs) =>
      withConnection(async (connection) => {
        await fillTable(connection, 'facts', FACT_TABLE_COLUMNS, facts);
        const rows = 'FROM temp.facts';
        return storeFacts({ objects, folder }, connection, { funnelId, rows, completeUntilMs });
      }),
  };
}
