import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll } from 'vitest';
import { RAW_EVENT_COLUMNS } from '../../../infra/lake-views/raw-event-columns.ts';
import { DUCKDB } from '../../../infra/lake-views/sql-dialect.ts';
import { LAKE_VIEWS } from '../../../infra/lake-views/views.ts';
import type { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { sessionKey } from '../../../shared/analytics/events/session-key.ts';
import { createSandboxedDuckDb } from '../../../shared/analytics/facts/duckdb/duckdb.ts';
import { createTempTable, FACT_TABLE_COLUMNS } from '../../../shared/analytics/facts/duckdb/fact-rows.ts';
import type { Fact } from '../../../shared/analytics/facts/fact.ts';
import { COMPLETE_UNTIL_COLUMN } from '../../../shared/analytics/facts/fact-columns.ts';

const folder = mkdtempSync(join(tmpdir(), 'lake-views-'));
afterAll(() => rmSync(folder, { recursive: true }));
const withConnection = createSandboxedDuckDb(folder);

export type FactRow = { funnelId: string; fact: Fact; completeUntilMs: number };

/** Runs `work` with the views of the lake. The views read these rows instead of files. */
export async function viewsOver<T>(
  rows: { facts?: readonly FactRow[]; events?: readonly EventRow[] },
  work: (connection: DuckDBConnection) => Promise<T>,
  timeZone = 'UTC',
): Promise<T> {
  return withConnection(async (connection) => {
    const facts = [
      { name: 'funnel_id', type: 'VARCHAR' as const, value: ({ funnelId }: FactRow) => funnelId },
      ...FACT_TABLE_COLUMNS.map((column) => ({ ...column, value: ({ fact }: FactRow) => column.value(fact) })),
      { ...COMPLETE_UNTIL_COLUMN, value: ({ completeUntilMs }: FactRow) => BigInt(completeUntilMs) },
    ];
    await createTempTable(connection, 'facts', facts, rows.facts ?? []);
    const events = RAW_EVENT_COLUMNS.map((column) => ({ ...column, value: cellOf(column.name) }));
    await createTempTable(connection, 'raw_events', events, rows.events ?? []);
    for (const { name, select } of LAKE_VIEWS)
      await connection.run(`CREATE TEMP VIEW ${name} AS ${select(DUCKDB, timeZone)}`);
    return work(connection);
  });
}

const cellOf = (name: string) => (event: EventRow) => {
  if (name === 'session_key') return sessionKey(event.funnel_id, event.session_id);
  const value = event[name as keyof EventRow];
  return typeof value === 'number' ? BigInt(value) : value;
};

export const rowsOf = async (connection: DuckDBConnection, sql: string) =>
  (await connection.runAndReadAll(sql)).getRowObjects();
