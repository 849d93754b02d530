import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { type ObjectStore, withLeaseGuard } from '../../../platform/object-store.ts';
import { copyToParquetSql, sqlString } from '../../facts/duckdb/duckdb.ts';
import { PARQUET_TYPE } from '../../facts/fact-files.ts';
import { FactInputRow } from '../../facts/reduce-events-to-facts.ts';
import type { RawEventFile, RawEventStore, SessionKeysByFunnel } from '../ports.ts';
import { EVENTS_PREFIX, RAW_EVENT_GROUP_ROWS } from '../raw-event-files.ts';
import { createParquetDownloader, type DownloadedParquet, sqlKeyList } from './parquet-downloader.ts';

const COUNTED_COLUMNS = Object.keys(FactInputRow.shape);
/** Maximum UUIDs in one pattern, because DuckDB limits the memory of a pattern. */
const UUIDS_PER_PATTERN = 100;
/** Columns with free text that the page sends. */
const FREE_TEXT_COLUMNS = ['payload', 'page_url', 'referrer_url', 'step_id', 'session_id'];

/** Reads and rewrites the raw event files of the lake through temporary copies in `folder`. */
export function createDuckDbRawEventStore(objects: ObjectStore, folder = join(tmpdir(), 'raw-events')): RawEventStore {
  const withCopy = createParquetDownloader(objects, folder);
  return {
    listFiles: () => objects.list(EVENTS_PREFIX),
    open: (key, look) => withCopy(key, ({ connection, from }) => look(fileOf(key, connection, from))),
    removeSessions: async (key, sessions, lease) => {
      const rest = await withCopy(key, (copy) => without(copy, sessions));
      if (rest === undefined) return;
      const { put, deleteAllVersions } = withLeaseGuard(objects, lease);
      if (rest.length > 0) await put(replacementKey(key), rest, PARQUET_TYPE);
      await deleteAllVersions(key);
    },
  };
}

const fileOf = (key: string, connection: DuckDBConnection, from: string): RawEventFile => ({
  events: async function* (funnelId) {
    const rows = await connection.stream(`SELECT ${COUNTED_COLUMNS.join(', ')} FROM ${from} WHERE funnel_id = $1`, [
      funnelId,
    ]);
    for (let chunk = await rows.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await rows.fetchChunk())
      yield chunk.getRows().map((values) => countedEvent(key, values));
  },
  findSessionsMentioning: async (funnelId, uuids) => {
    const found = new Set<bigint>();
    const anywhere = FREE_TEXT_COLUMNS.map((column) => `regexp_matches(${column}, $2, 'i')`).join(' OR ');
    const sql = `SELECT DISTINCT session_key FROM ${from} WHERE funnel_id = $1 AND (${anywhere})`;
    for (let at = 0; at < uuids.length; at += UUIDS_PER_PATTERN) {
      const rows = await connection.runAndReadAll(sql, [funnelId, uuids.slice(at, at + UUIDS_PER_PATTERN).join('|')]);
      for (const [key] of rows.getRows()) found.add(BigInt(String(key)));
    }
    return [...found];
  },
  findSessionsWithContact: async (funnelId, { pattern, isIn }) => {
    const freeText = FREE_TEXT_COLUMNS.map((column) => `coalesce(${column}, '')`).join(', ');
    const sql = `SELECT session_key, free_text FROM (SELECT session_key, concat_ws(chr(10), ${freeText}) AS free_text FROM ${from}
      WHERE funnel_id = $1) WHERE regexp_matches(free_text, $2, 'i')`;
    const rows = await connection.stream(sql, [funnelId, pattern]);
    const found = new Set<bigint>();
    for (let chunk = await rows.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await rows.fetchChunk())
      for (const [key, text] of chunk.getRows()) if (isIn(String(text))) found.add(BigInt(String(key)));
    return [...found];
  },
  exportRows: async function* (sessions) {
    // The session key is omitted, because it is a hash of other columns.
    const rows = `SELECT * EXCLUDE (session_key) FROM ${from} WHERE ${isOf(sessions)} ORDER BY received_ms, time_ms`;
    const texts = await connection.stream(`SELECT to_json(event)::VARCHAR FROM (${rows}) event`);
    for (let chunk = await texts.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await texts.fetchChunk())
      for (const [text] of chunk.getRows()) yield String(text);
  },
  countRows: async (sessions) => {
    const rows = await connection.runAndReadAll(`SELECT count(*) FROM ${from} WHERE ${isOf(sessions)}`);
    return Number(rows.getRows()[0]?.[0] ?? 0);
  },
});

const isOf = (sessions: SessionKeysByFunnel): string =>
  Array.from(
    sessions,
    ([funnelId, keys]) => `(funnel_id = ${sqlString(funnelId)} AND session_key IN ${sqlKeyList(keys)})`,
  )
    .concat('false')
    .join(' OR ');

/** @throws when the row is invalid, so that a damaged file is an error instead of a wrong count */
function countedEvent(key: string, values: readonly DuckDBValue[]): FactInputRow {
  const row = COUNTED_COLUMNS.map((name, at) => {
    const value = values[at];
    return [name, typeof value === 'bigint' ? Number(value) : value];
  });
  const read = FactInputRow.safeParse(Object.fromEntries(row));
  if (!read.success)
    throw new Error(
      `The raw event file ${key} in the lake bucket is damaged: a row has an invalid ${read.error.issues[0]?.path.join('.')}. ` +
        'To rebuild without its events, move the file out of events/, and run the command again. ' +
        'SQL queries and erasures then ignore the file, too.',
      { cause: read.error },
    );
  return read.data;
}

/**
 * Returns a Parquet file without the rows of `sessions`. The other rows keep their order. If none is left, returns no
 * bytes.
 */
async function without(
  { connection, from, siblingPath: beside }: DownloadedParquet,
  sessions: SessionKeysByFunnel,
): Promise<Uint8Array> {
  const others = `FROM ${from} WHERE NOT (${isOf(sessions)})`;
  const counted = await connection.runAndReadAll(`SELECT count(*) ${others}`);
  if (Number(counted.getRows()[0]?.[0] ?? 0) === 0) return new Uint8Array();
  await connection.run(copyToParquetSql(`SELECT * ${others}`, beside, RAW_EVENT_GROUP_ROWS));
  return readFile(beside);
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns the key of the file that replaces a raw event file. It has the same date, and its ULID has the same time. The
 * key is deterministic. If a removal is repeated after a crash, it therefore leaves no duplicate rows.
 */
export function replacementKey(key: string): string {
  const nameAt = key.lastIndexOf('/') + 1;
  const digest = hash('sha256', key.slice(nameAt), 'buffer').subarray(0, 16);
  const name = key.slice(nameAt, nameAt + 10) + Array.from(digest, (byte) => CROCKFORD[byte % 32]).join('');
  return `${key.slice(0, nameAt)}${name}.parquet`;
}
