import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckdbWithin, type Size } from './duckdb.ts';
import { storeFacts } from './fact-drafts.ts';
import type { FactObjectWriter, FactWriter } from './fact-files.ts';
import { FACT_TABLE_COLUMNS, fillTable } from './fact-rows.ts';

/** Writes fact files as Parquet by DuckDB, each through a draft in a folder of /tmp. */
export function duckdbFactWriter(
  objects: FactObjectWriter,
  { folder = join(tmpdir(), 'fact-drafts'), size }: { folder?: string; size?: Size } = {},
): FactWriter {
  const withConnection = duckdbWithin(folder, size);
  return {
    write: (funnelId, facts, completeUntilMs) =>
      withConnection(async (connection) => {
        await fillTable(connection, 'facts', FACT_TABLE_COLUMNS, facts);
        const rows = 'FROM temp.facts';
        return storeFacts({ objects, folder }, connection, { funnelId, rows, completeUntilMs });
      }),
  };
}
