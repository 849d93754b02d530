import { offsetsBetween } from '../../shared/platform/time-zone.ts';

/** Where the two engines that run the analysts' views write the same thing in different ways. */
export type SqlDialect = {
  /** Rows of facts with the columns of their files and `funnel_id`. */
  facts: string;
  /** The timestamp, in UTC and without a zone, of milliseconds since the epoch. */
  utc(milliseconds: string): string;
  /** What the clocks of a zone show at a timestamp of UTC. */
  local(timestamp: string, timeZone: string): string;
  /** A row of values, which compares field by field. */
  row(values: readonly string[]): string;
  /** The n-th value, from 1 on, of such a row. */
  field(row: string, place: number): string;
};

/** DuckDB, where `facts` is a view that has `funnel_id` from the files' folders. */
export const DUCKDB: SqlDialect = {
  facts: 'SELECT * FROM facts',
  utc: (milliseconds) => `epoch_ms(${milliseconds})`,
  // Not its own AT TIME ZONE: DuckDB brings rules of its own, which may be older than those that the API counts by.
  local: (timestamp, timeZone) => `(${timestamp} + to_milliseconds(${offsetSql(timestamp, timeZone)}))`,
  // A view is kept as text, in which DuckDB writes the number of a field as a name: so they have names.
  row: (values) => `{${values.map((value, at) => `'f${at + 1}': ${value}`).join(', ')}}`,
  field: (row, place) => `${row}.f${place}`,
};

/**
 * Athena, which is Trino. Views there can not hold timestamps with a zone, hence the casts; `"$path"` is the object
 * that a row comes from.
 */
export const ATHENA: SqlDialect = {
  facts: `SELECT regexp_extract("$path", 'funnel_id=([0-9a-f-]{36})/', 1) AS funnel_id, * FROM facts`,
  utc: (milliseconds) =>
    `CAST(from_unixtime(CAST(${milliseconds} AS double) / 1000) AT TIME ZONE 'UTC' AS timestamp(3))`,
  local: (timestamp, timeZone) =>
    `CAST(with_timezone(${timestamp}, 'UTC') AT TIME ZONE ${sqlText(timeZone)} AS timestamp(3))`,
  row: (values) => `row(${values.join(', ')})`,
  field: (row, place) => `${row}[${place}]`,
};

/** Every event is of this time; before and after it, the zone's first and last offset hold. */
const OFFSETS = { fromMs: Date.UTC(2020, 0), untilMs: Date.UTC(2040, 0) };

/** By how many milliseconds a zone's clocks are ahead at a timestamp of UTC, by the rules of this process. */
function offsetSql(timestamp: string, timeZone: string): string {
  const stretches = offsetsBetween(OFFSETS.fromMs, OFFSETS.untilMs, timeZone);
  const last = stretches.at(-1)?.offsetMs ?? 0;
  const earlier = stretches.slice(0, -1).map(({ offsetMs }, at) => {
    const endMs = stretches[at + 1]?.fromMs ?? OFFSETS.untilMs;
    return `WHEN ${timestamp} < TIMESTAMP '${new Date(endMs).toISOString().slice(0, -1)}' THEN ${offsetMs}`;
  });
  return earlier.length === 0 ? String(last) : `CASE ${earlier.join(' ')} ELSE ${last} END`;
}

/** A text as an SQL literal. */
const sqlText = (value: string): string => `'${value.replaceAll("'", "''")}'`;
