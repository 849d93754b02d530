import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { duckdb } from './duckdb.ts';
import type { Fact } from './fact.ts';
import { type ColumnType, FACT_COLUMNS, FACT_PROPERTIES } from './fact-columns.ts';

/** DuckDB's vectors hold as many rows. */
const CHUNK_ROWS = 2_048;

export type Column<Row> = { name: string; type: ColumnType; value: (row: Row) => DuckDBValue };

/** The columns of a table that holds facts as a file does. */
export const FACT_TABLE_COLUMNS = FACT_PROPERTIES.map((property): Column<Fact> => {
  const { name, type } = FACT_COLUMNS[property];
  return {
    name,
    type,
    value: (fact) => {
      const value = fact[property];
      return typeof value === 'number' ? BigInt(value) : value;
    },
  };
});

/** Makes a temporary table of the connection and fills it. */
export async function fillTable<Row>(
  connection: DuckDBConnection,
  table: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> {
  await connection.run(`CREATE TEMP TABLE ${table} (${columns.map(({ name, type }) => `${name} ${type}`).join(', ')})`);
  const types = columns.map(({ type }) => duckdb()[type]);
  const appender = await connection.createAppender(table, undefined, 'temp');
  for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
    const part = rows.slice(at, at + CHUNK_ROWS);
    const chunk = duckdb().DuckDBDataChunk.create(types, part.length);
    chunk.setColumns(columns.map(({ value }) => part.map(value)));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

/** The columns that `factsOf` reads; numbers as doubles, which all of them fit in and which are read faster. */
export const FACT_SELECT = FACT_PROPERTIES.map((property) => {
  const { name, type } = FACT_COLUMNS[property];
  return type === 'BIGINT' && property !== 'sessionKey' ? `${name}::DOUBLE` : name;
}).join(', ');

/** The facts in columns that were selected by `FACT_SELECT`, or in the order of `FACT_COLUMNS`. */
export function factsOf(columns: readonly (readonly DuckDBValue[])[]): Fact[] {
  const facts: Partial<Record<keyof Fact, DuckDBValue>>[] = (columns[0] ?? []).map(() => ({}));
  for (const [at, property] of FACT_PROPERTIES.entries()) {
    const values = columns[at] ?? [];
    for (const [row, fact] of facts.entries()) fact[property] = loaded(property, values[row]);
  }
  // The files are ours, and their columns are declared in one place with the properties they hold.
  return facts as Fact[];
}

const loaded = (property: keyof Fact, value: DuckDBValue | undefined): DuckDBValue =>
  typeof value === 'bigint' && property !== 'sessionKey' ? Number(value) : (value ?? null);
