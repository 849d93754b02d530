import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { FACT_DIMENSIONS, type Fact } from '../fact.ts';
import { type ColumnType, FACT_COLUMNS, FACT_PROPERTIES } from '../fact-columns.ts';
import { duckdb } from './duckdb.ts';

/** Maximum rows of a data chunk: the size of DuckDB's vectors. */
const CHUNK_ROWS = 2_048;

export type Column<Row> = { name: string; type: ColumnType; value: (row: Row) => DuckDBValue };

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

export async function createTempTable<Row>(
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

export const FACT_COLUMN_LIST = FACT_PROPERTIES.map((property) => FACT_COLUMNS[property].name).join(', ');

/**
 * The texts of a fact as one JSON array, because transferring each text from DuckDB to JavaScript takes longer than
 * transferring and parsing the array.
 */
const TEXTS = `to_json([${FACT_DIMENSIONS.map((name) => FACT_COLUMNS[name].name).join(', ')}])::VARCHAR`;
const [STARTED, COMPLETED] = [1, 2];

/**
 * The columns that `decodeFactRows` expects. Times and steps are selected as doubles, because doubles are faster to
 * read. The values stay exact, because they are less than 2^53.
 */
export const FACT_SELECT = `session_key, first_time_ms::DOUBLE, client_time_ms::DOUBLE, step_index::DOUBLE, ${TEXTS},
  (started::TINYINT * ${STARTED} + completed::TINYINT * ${COMPLETED})::TINYINT`;

export function decodeFactRows([
  keys,
  times,
  clientTimes,
  steps,
  texts,
  flags,
]: readonly (readonly DuckDBValue[])[]): Fact[] {
  const textsOf = textsReader();
  // The casts are safe, because only this service writes fact files, with the columns of FACT_COLUMNS.
  return ((keys ?? []) as readonly bigint[]).map((sessionKey, row) => {
    const step = steps?.[row] ?? null;
    const flag = Number(flags?.[row]);
    // The properties are listed one by one, because a loop over them is ten times slower.
    const [referrer, utmSource, utmMedium, utmCampaign, utmTerm, utmContent, deviceType, browser, os] = textsOf(
      texts?.[row] as string,
    );
    return {
      sessionKey,
      firstTimeMs: Number(times?.[row]),
      clientTimeMs: Number(clientTimes?.[row]),
      stepIndex: step === null ? null : Number(step),
      referrer,
      utmSource,
      utmMedium,
      utmCampaign,
      utmTerm,
      utmContent,
      deviceType,
      browser,
      os,
      started: (flag & STARTED) !== 0,
      completed: (flag & COMPLETED) !== 0,
    };
  });
}

type Texts = [string, string, string, string, string, string, string, string, string];

/** Parses each distinct list of texts only once, because most sessions have the same texts as other sessions. */
function textsReader(): (json: string) => Texts {
  const known = new Map<string, Texts>();
  return (json) => {
    const texts = known.get(json) ?? (JSON.parse(json) as Texts);
    known.set(json, texts);
    return texts;
  };
}
