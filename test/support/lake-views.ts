import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll } from 'vitest';
import { sessionKey } from '../../shared/analytics/events/session-key.ts';
import type { StoredEvent } from '../../shared/analytics/events/stored-event.ts';
import { duckdbWithin } from '../../shared/analytics/facts/duckdb.ts';
import type { Fact } from '../../shared/analytics/facts/fact.ts';
import { COMPLETE_UNTIL_COLUMN } from '../../shared/analytics/facts/fact-columns.ts';
import { FACT_TABLE_COLUMNS, fillTable } from '../../shared/analytics/facts/fact-rows.ts';
import { RAW_EVENT_COLUMNS } from '../../shared/analytics/lake/raw-event-columns.ts';
import { DUCKDB } from '../../shared/analytics/lake/sql-dialect.ts';
import { LAKE_VIEWS } from '../../shared/analytics/lake/views.ts';

const folder = mkdtempSync(join(tmpdir(), 'lake-views-'));
afterAll(() => rmSync(folder, { recursive: true }));
const withConnection = duckdbWithin(folder);

export type FactRow = { funnelId: string; fact: Fact; completeUntilMs: number };

/** The views over rows that were put into tables, as over those of files. */
export async function viewsOver<T>(
  rows: { facts?: readonly FactRow[]; events?: readonly StoredEvent[] },
  work: (connection: DuckDBConnection) => Promise<T>,
  timeZone = 'UTC',
): Promise<T> {
  return withConnection(async (connection) => {
    const facts = [
      { name: 'funnel_id', type: 'VARCHAR' as const, value: ({ funnelId }: FactRow) => funnelId },
      ...FACT_TABLE_COLUMNS.map((column) => ({ ...column, value: ({ fact }: FactRow) => column.value(fact) })),
      { ...COMPLETE_UNTIL_COLUMN, value: ({ completeUntilMs }: FactRow) => BigInt(completeUntilMs) },
    ];
    await fillTable(connection, 'facts', facts, rows.facts ?? []);
    const events = RAW_EVENT_COLUMNS.map((column) => ({ ...column, value: cellOf(column.name) }));
    await fillTable(connection, 'raw_events', events, rows.events ?? []);
    for (const { name, select } of LAKE_VIEWS)
      await connection.run(`CREATE TEMP VIEW ${name} AS ${select(DUCKDB, timeZone)}`);
    return work(connection);
  });
}

const cellOf = (name: string) => (event: StoredEvent) => {
  if (name === 'session_key') return sessionKey(event.funnel_id, event.session_id);
  const value = event[name as keyof StoredEvent];
  return typeof value === 'number' ? BigInt(value) : value;
};

export const rowsOf = async (connection: DuckDBConnection, sql: string) =>
  (await connection.runAndReadAll(sql)).getRowObjects();
