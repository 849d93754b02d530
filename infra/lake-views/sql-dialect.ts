import { offsetsBetween } from '../../shared/platform/time-zone.ts';

/** The SQL expressions that differ between the engines that run the views. */
export type SqlDialect = {
  /** SELECT statement for all facts. The result has the columns of the files, and the column `funnel_id`. */
  facts: string;
  /** Converts milliseconds since the epoch to a timestamp in UTC without a zone. */
  utc(milliseconds: string): string;
  /** Converts a timestamp in UTC to the local time of a zone. */
  local(timestamp: string, timeZone: string): string;
  /** Builds a row of values. Rows are compared field by field. */
  row(values: readonly string[]): string;
  /** Reads the value at a position of a row that `row` built. The first position is 1. */
  field(row: string, position: number): string;
};

/** DuckDB. Its view `facts` reads `funnel_id` from the names of folders. */
export const DUCKDB: SqlDialect = {
  facts: 'SELECT * FROM facts',
  utc: (milliseconds) => `epoch_ms(${milliseconds})`,
  // AT TIME ZONE would use DuckDB's own time zone rules, which can be older than those of the API.
  local: (timestamp, timeZone) => `(${timestamp} + to_milliseconds(${offsetSql(timestamp, timeZone)}))`,
  // Names the fields, because DuckDB stores a view as text, and replaces positions of fields with names in this text.
  row: (values) => `{${values.map((value, at) => `'f${at + 1}': ${value}`).join(', ')}}`,
  field: (row, position) => `${row}.f${position}`,
};

/**
 * Athena (Trino). Timestamps are cast, because views in Athena cannot contain timestamps with a zone. `"$path"` is the
 * URL of the S3 object that contains the row.
 */
export const ATHENA: SqlDialect = {
  facts: `SELECT regexp_extract("$path", 'funnel_id=([0-9a-f-]{36})/', 1) AS funnel_id, * FROM facts`,
  utc: (milliseconds) =>
    `CAST(from_unixtime(CAST(${milliseconds} AS double) / 1000) AT TIME ZONE 'UTC' AS timestamp(3))`,
  local: (timestamp, timeZone) =>
    `CAST(with_timezone(${timestamp}, 'UTC') AT TIME ZONE ${sqlText(timeZone)} AS timestamp(3))`,
  row: (values) => `row(${values.join(', ')})`,
  field: (row, position) => `${row}[${position}]`,
};

/** The SQL contains the offsets of this period. For an earlier or later time, the SQL uses the first or last offset. */
const OFFSETS = { fromMs: Date.UTC(2020, 0), untilMs: Date.UTC(2040, 0) };

/**
 * Returns SQL that computes a zone's UTC offset in milliseconds at a timestamp. The offsets come from the time zone
 * rules of this process.
 */
function offsetSql(timestamp: string, timeZone: string): string {
  const periods = offsetsBetween(OFFSETS.fromMs, OFFSETS.untilMs, timeZone);
  const last = periods.at(-1)?.offsetMs ?? 0;
  const earlier = periods.slice(0, -1).map(({ offsetMs }, at) => {
    const endMs = periods[at + 1]?.fromMs ?? OFFSETS.untilMs;
    return `WHEN ${timestamp} < TIMESTAMP '${new Date(endMs).toISOString().slice(0, -1)}' THEN ${offsetMs}`;
  });
  return earlier.length === 0 ? String(last) : `CASE ${earlier.join(' ')} ELSE ${last} END`;
}

/** Converts a text to an SQL literal. */
const sqlText = (value: string): string => `'${value.replaceAll("'", "''")}'`;
