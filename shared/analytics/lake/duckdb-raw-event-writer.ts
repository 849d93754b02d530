import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import { ulid } from 'ulid';
import { sessionKey } from '../events/session-key.ts';
import type { StoredEvent } from '../events/stored-event.ts';
import { duckdbWithin, parquetSql } from '../facts/duckdb.ts';
import { tidy } from '../facts/fact-drafts.ts';
import { PARQUET_TYPE } from '../facts/fact-files.ts';
import { type Column, fillTable } from '../facts/fact-rows.ts';
import { RAW_EVENT_COLUMNS } from './raw-event-columns.ts';
import { type LakeObjectWriter, RAW_EVENT_GROUP_ROWS, type RawEventWriter, rawEventKey } from './raw-event-files.ts';

/** Some megabytes of rows at a time, beside everything else that a laptop does: what is free again goes back at once. */
const SIZE = { threads: 1, memoryMb: 256 };

/** Writes files of raw events as Parquet by DuckDB, sorted by funnel and time: first a draft in /tmp, then the object. */
export function duckdbRawEventWriter(
  objects: LakeObjectWriter,
  { folder = join(tmpdir(), 'raw-event-drafts') } = {},
): RawEventWriter {
  const withConnection = duckdbWithin(folder, SIZE);
  return {
    write: async (arrivalDate, events) => {
      await tidy(folder);
      const name = ulid();
      const draft = join(folder, name);
      try {
        await withConnection(async (connection) => {
          await fillTable(connection, 'events', COLUMNS, events);
          const sorted = 'SELECT * FROM temp.events ORDER BY funnel_id, time_ms, session_key, event_id';
          await connection.run(parquetSql(sorted, draft, RAW_EVENT_GROUP_ROWS));
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
  ({ name, type }): Column<StoredEvent> => ({
    name,
    type,
    value:
      name === 'session_key'
        ? ({ funnel_id, session_id }) => sessionKey(funnel_id, session_id)
        : (event) => cellOf(event[name as keyof StoredEvent]),
  }),
);

const cellOf = (value: StoredEvent[keyof StoredEvent]): DuckDBValue =>
  typeof value === 'number' ? BigInt(value) : value;
