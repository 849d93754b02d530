import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import { ulid } from 'ulid';
import type { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { sessionKey } from '../../../shared/analytics/events/session-key.ts';
import { copyToParquetSql, createSandboxedDuckDb } from '../../../shared/analytics/facts/duckdb/duckdb.ts';
import { type Column, createTempTable } from '../../../shared/analytics/facts/duckdb/fact-rows.ts';
import { prepareTempFolder } from '../../../shared/analytics/facts/duckdb/write-fact-parquet.ts';
import { PARQUET_TYPE } from '../../../shared/analytics/facts/fact-files.ts';
import type { LakeObjectWriter, RawEventWriter } from '../../../shared/analytics/raw-events/ports.ts';
import { RAW_EVENT_GROUP_ROWS, rawEventKey } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import { RAW_EVENT_COLUMNS } from '../../lake-views/raw-event-columns.ts';

/** Small limits, because this machine also runs all other parts of the service. */
const SIZE = { threads: 1, memoryMb: 256 };

/**
 * Creates a writer of Parquet files with raw events, sorted by funnel and time. DuckDB writes each file to a temporary
 * folder. Then, the file is stored in the lake.
 */
export function createParquetEventWriter(
  objects: LakeObjectWriter,
  { folder = join(tmpdir(), 'raw-event-drafts') } = {},
): RawEventWriter {
  const withConnection = createSandboxedDuckDb(folder, SIZE);
  return {
    write: async (arrivalDate, events) => {
      await prepareTempFolder(folder);
      const name = ulid();
      const draft = join(folder, name);
      try {
        await withConnection(async (connection) => {
          await createTempTable(connection, 'events', COLUMNS, events);
          const sorted = 'SELECT * FROM temp.events ORDER BY funnel_id, time_ms, session_key, event_id';
          await connection.run(copyToParquetSql(sorted, draft, RAW_EVENT_GROUP_ROWS));
        });
        const key = rawEventKey(arrivalDate, name);
        await objects.put(key, await readFile(draft), PARQUET_TYPE);
        return key;
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}

const COLUMNS = RAW_EVENT_COLUMNS.map(
  ({ name, type }): Column<EventRow> => ({
    name,
    type,
    value:
      name === 'session_key'
        ? ({ funnel_id, session_id }) => sessionKey(funnel_id, session_id)
        : (event) => cellOf(event[name as keyof EventRow]),
  }),
);

const cellOf = (value: EventRow[keyof EventRow]): DuckDBValue => (typeof value === 'number' ? BigInt(value) : value);
