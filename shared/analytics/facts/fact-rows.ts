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

type FactValues = { [P in keyof Fact]: readonly Fact[P][] };

/** The facts in columns that were selected by `FACT_SELECT`, or in the order of `FACT_COLUMNS`. */
export function factsOf(columns: readonly (readonly DuckDBValue[])[]): Fact[] {
  // The files are ours, and their columns are declared in one place with the properties they hold.
  const of = Object.fromEntries(FACT_PROPERTIES.map((property, at) => [property, columns[at]])) as FactValues;
  // Written out: objects that begin with all their properties are made ten times as fast as by a loop over them.
  return (columns[0] ?? []).map((_, row) => ({
    sessionKey: of.sessionKey[row] as bigint,
    timeMs: Number(of.timeMs[row]),
    clientTimeMs: Number(of.clientTimeMs[row]),
    stepIndex: of.stepIndex[row] === null ? null : Number(of.stepIndex[row]),
    referrer: of.referrer[row] as string,
    utmSource: of.utmSource[row] as string,
    utmMedium: of.utmMedium[row] as string,
    utmCampaign: of.utmCampaign[row] as string,
    utmTerm: of.utmTerm[row] as string,
    utmContent: of.utmContent[row] as string,
    deviceType: of.deviceType[row] as string,
    browser: of.browser[row] as string,
    os: of.os[row] as string,
    started: of.started[row] as boolean,
    completed: of.completed[row] as boolean,
  }));
}
