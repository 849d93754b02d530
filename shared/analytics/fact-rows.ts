import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { duckdb } from './duckdb.ts';
import type { Fact } from './fact.ts';
import { FACT_COLUMNS, type FactColumn } from './fact-columns.ts';

/** DuckDB's vectors hold as many rows. */
const CHUNK_ROWS = 2_048;

type ColumnType = FactColumn['type'];

/** Makes a temporary table of the connection and fills it, a chunk of columns at a time. */
export async function fillTable(
  connection: DuckDBConnection,
  name: string,
  columns: readonly { name: string; type: ColumnType; values: (from: number, to: number) => DuckDBValue[] }[],
  rows: number,
): Promise<void> {
  await connection.run(`CREATE TEMP TABLE ${name} (${columns.map((each) => `${each.name} ${each.type}`).join(', ')})`);
  const types = columns.map(({ type }) => duckdb()[type]);
  const appender = await connection.createAppender(name, undefined, 'temp');
  for (let from = 0; from < rows; from += CHUNK_ROWS) {
    const to = Math.min(rows, from + CHUNK_ROWS);
    const chunk = duckdb().DuckDBDataChunk.create(types, to - from);
    chunk.setColumns(columns.map(({ values }) => values(from, to)));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

/** A temporary table of facts, in the columns of a fact file. */
export const fillFacts = (connection: DuckDBConnection, name: string, facts: readonly Fact[]): Promise<void> =>
  fillTable(
    connection,
    name,
    FACT_COLUMNS.map(({ name, type, property }) => ({
      name,
      type,
      values: (from, to) => facts.slice(from, to).map((fact) => stored(fact[property])),
    })),
    facts.length,
  );

const stored = (value: Fact[keyof Fact]): DuckDBValue => (typeof value === 'number' ? BigInt(value) : value);

/** The facts in columns that were selected in the order of `FACT_COLUMNS`. */
export function factsOf(columns: readonly (readonly DuckDBValue[])[]): Fact[] {
  const facts: Partial<Record<keyof Fact, DuckDBValue>>[] = (columns[0] ?? []).map(() => ({}));
  for (const [at, { property }] of FACT_COLUMNS.entries()) {
    const values = columns[at] ?? [];
    for (const [row, fact] of facts.entries()) fact[property] = loaded(property, values[row]);
  }
  // The files are ours, and their columns are declared in one place with the properties they hold.
  return facts as Fact[];
}

const loaded = (property: keyof Fact, value: DuckDBValue | undefined): DuckDBValue =>
  typeof value === 'bigint' && property !== 'sessionKey' ? Number(value) : (value ?? null);
