import { DatabaseSync } from 'node:sqlite';
import type { DuckDBConnection } from '@duckdb/node-api';
import { QUARTER_HOUR_MS } from '../../shared/analytics/facts/counts.ts';
import { duckdb } from '../../shared/analytics/facts/duckdb/duckdb.ts';
import { allSessionsSql, MACROS, RANGE } from './analytics-reads-data.ts';

// Stores the generated sessions as raw events (about 3.4 events per session) in one table. Runs the reads as SQL on
// this table.

const DIMENSIONS = 'referrer, utm_source, utm_medium, utm_campaign, utm_term, utm_content, device_type, browser, os';
const LISTS = ['browser', 'os', 'referrer', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'];
const MINUTE_MS = 60_000;

export type RawQuestion = 'overview' | 'timeseries' | 'acquisition';
export type Raw = {
  /** Runs the read. Returns the number of sessions in the result. */
  ask(question: RawQuestion): Promise<number>;
  close(): void;
};

/** Returns SQL that generates all events of the sessions, with the columns of the tables below. */
function eventsSql(sessions: number): string {
  const kinds = [
    ['view', 0, 'true'],
    ['scroll', 1, 'true'],
    ['start', 2, 'started'],
    ['step_submit', 3, 'started'],
    ['complete', 4, 'completed'],
  ] as const;
  const events = kinds.map(
    ([kind, at, when]) =>
      `SELECT session_key, first_time_ms + ${at * MINUTE_MS} AS time_ms, '${kind}' AS kind, step_index, ${DIMENSIONS}
       FROM sessions WHERE ${when}`,
  );
  return `WITH sessions AS MATERIALIZED (${allSessionsSql(sessions)}) ${events.join(' UNION ALL ')}`;
}

type Dialect = { first(column: string): string; any(condition: string): string; quarter: string };
const DUCKDB: Dialect = {
  first: (column) => `arg_min(${column}, time_ms)`,
  any: (condition) => `bool_or(${condition})::INTEGER`,
  quarter: `first_ms // ${QUARTER_HOUR_MS}`,
};
/**
 * In SQLite, the other columns of a query with `min(time_ms)` come from the row with the minimum: here from the first
 * event of the session.
 */
const SQLITE: Dialect = {
  first: (column) => column,
  any: (condition) => `sum(${condition}) > 0`,
  quarter: `first_ms / ${QUARTER_HOUR_MS}`,
};

const sessionsOf = ({ first, any }: Dialect, columns: readonly string[]): string =>
  `SELECT min(time_ms) AS first_ms${columns.map((column) => `, ${first(column)} AS ${column}`).join('')},
     ${any("kind IN ('start', 'step_submit', 'complete') OR coalesce(step_index, 0) >= 1")} AS started,
     ${any("kind = 'complete'")} AS completed
   FROM events GROUP BY session_key`;

const COUNTS = 'count(*) AS sessions, sum(started) AS starts, sum(completed) AS completions';
const isCounts = ([row]: readonly object[]) => row !== undefined && 'sessions' in row;
const inRange = `first_ms >= ${RANGE.since} AND first_ms < ${RANGE.untilMs}`;
const groupBy = (from: string, group: string) => `SELECT ${group}, ${COUNTS} FROM ${from} WHERE ${inRange} GROUP BY 1`;
const top = (from: string, group: string) => `${groupBy(from, group)} ORDER BY 2 DESC, 1 LIMIT 101`;

function questions(dialect: Dialect): Record<RawQuestion, string[]> {
  const from = (columns: readonly string[]) => `(${sessionsOf(dialect, columns)}) AS s`;
  const { quarter } = dialect;
  return {
    overview: [groupBy(from(['device_type']), 'device_type')],
    timeseries: [groupBy(from([]), quarter)],
    acquisition: [
      'DROP TABLE IF EXISTS temp.s',
      `CREATE TEMP TABLE s AS ${sessionsOf(dialect, LISTS)}`,
      groupBy('temp.s', quarter),
      ...LISTS.map((column) => top('temp.s', column)),
    ],
  };
}

const QUESTIONS = { duckdb: questions(DUCKDB), sqlite: questions(SQLITE) };

function sessionsIn(rows: readonly Record<string, unknown>[]): number {
  return rows.reduce((sum, row) => sum + Number(row.sessions), 0);
}

async function openDuckdb(path: string): Promise<{ connection: DuckDBConnection; close(): void }> {
  const instance = await duckdb().DuckDBInstance.create(path, { threads: '2', memory_limit: '4GB' });
  const connection = await instance.connect();
  const close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  return { connection, close };
}

/** Stores the events in a native table of DuckDB on disk, in the order of their times. */
export async function rawInDuckdb(path: string, sessions: number): Promise<Raw> {
  const { connection, close } = await openDuckdb(path);
  await connection.run(MACROS);
  await connection.run(`CREATE TABLE events AS FROM (${eventsSql(sessions)}) ORDER BY time_ms`);
  await connection.run('CHECKPOINT');
  const ask = async (question: RawQuestion) => {
    const answers = [];
    for (const statement of QUESTIONS.duckdb[question])
      answers.push((await connection.runAndReadAll(statement)).getRowObjects());
    return sessionsIn(answers.find(isCounts) ?? []);
  };
  return { ask, close };
}

/**
 * Stores the events in a SQLite table that is ordered by session and time, so that grouping by session needs no sort.
 *
 * @param from path of the DuckDB database that `rawInDuckdb` wrote
 */
export async function rawInSqlite(path: string, from: string): Promise<Raw> {
  const database = new DatabaseSync(path);
  database.exec(
    'PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA cache_size = -400000; PRAGMA temp_store = memory',
  );
  database.exec(
    `CREATE TABLE events (session_key INTEGER, time_ms INTEGER, kind TEXT, step_index INTEGER,
       ${DIMENSIONS.replaceAll(',', ' TEXT,')} TEXT, PRIMARY KEY (session_key, time_ms)) WITHOUT ROWID`,
  );
  const insert = database.prepare(`INSERT INTO events VALUES (${'?, '.repeat(12)}?)`);
  const { connection, close } = await openDuckdb(from);
  const events = await connection.stream('SELECT * FROM events ORDER BY session_key, time_ms');
  database.exec('BEGIN');
  for await (const rows of events.yieldRows())
    for (const values of rows) insert.run(...(values as (string | bigint | null)[]));
  database.exec('COMMIT');
  close();
  const ask = async (question: RawQuestion) => {
    const answers = QUESTIONS.sqlite[question].map((statement) => database.prepare(statement).all());
    return sessionsIn(answers.find(isCounts) ?? []);
  };
  return { ask, close: () => database.close() };
}
