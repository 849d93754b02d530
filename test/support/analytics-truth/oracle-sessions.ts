import { createRequire } from 'node:module';
import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import { type Arrived, CLIENTS, DAY_MS, MINUTE_MS } from './sent.ts';

/** A session by its definition in decisions 8; `firstMs` in milliseconds since the epoch. */
export type OracleSession = {
  funnelId: string;
  firstMs: number;
  started: boolean;
  completed: boolean;
} & Record<OracleDimension, string>;

export const ORACLE_DIMENSIONS = [
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
  'deviceType',
  'browser',
  'os',
] as const;
export type OracleDimension = (typeof ORACLE_DIMENSIONS)[number];

const COLUMNS = {
  funnelId: 'VARCHAR',
  sessionId: 'VARCHAR',
  timestamp: 'VARCHAR',
  arrivalMs: 'BIGINT',
  step: 'INTEGER',
  payload: 'JSON',
  ...Object.fromEntries(ORACLE_DIMENSIONS.map((name) => [name, 'VARCHAR'])),
};

/** The first of the payload's three names that says anything, without the prefix. */
const said = (name: string) =>
  `nullif(CASE json_type(payload, '$.${name}') WHEN 'VARCHAR' THEN payload ->> '$.${name}' END, '')`;
const KIND = `regexp_replace(coalesce(${['type', 'event', 'name'].map(said).join(', ')}, ''), '^funnel_', '')`;

/** Texts in a binary collation: by their UTF-8 bytes. */
const FIRST = `ms, client_ms, step NULLS LAST, ${ORACLE_DIMENSIONS.map((name) => `nullif("${name}", '') NULLS LAST`).join(', ')}`;

const SESSIONS = `
  WITH sent AS (SELECT unnest(from_json($1, '${JSON.stringify([COLUMNS])}'), recursive := true)),
  timed AS (SELECT *, epoch_ms("timestamp"::TIMESTAMPTZ) AS client_ms, ${KIND} AS kind FROM sent),
  accepted AS (
    SELECT *, CASE WHEN client_ms - "arrivalMs" > ${5 * MINUTE_MS} THEN "arrivalMs" ELSE client_ms END AS ms
    FROM timed WHERE "arrivalMs" - client_ms <= ${30 * DAY_MS}
  ),
  placed AS (
    SELECT *,
      row_number() OVER (PARTITION BY "funnelId", "sessionId" ORDER BY ${FIRST}) AS place,
      count(*) FILTER (kind IN ('start', 'step_submit', 'complete') OR step >= 1) OVER of_session > 0 AS started,
      count(*) FILTER (kind = 'complete') OVER of_session > 0 AS completed
    FROM accepted WINDOW of_session AS (PARTITION BY "funnelId", "sessionId")
  )
  SELECT "funnelId", ms::DOUBLE AS "firstMs", started, completed, ${ORACLE_DIMENSIONS.map((name) => `"${name}"`).join(', ')}
  FROM placed WHERE place = 1`;

async function prepare(): Promise<DuckDBPreparedStatement> {
  const { DuckDBInstance } = createRequire(import.meta.url)('@duckdb/node-api') as typeof import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  return (await instance.connect()).prepare(SESSIONS);
}

let statement: Promise<DuckDBPreparedStatement> | undefined;
let turn: Promise<unknown> = Promise.resolve();

/** Every session that the events make, recomputed from all of them at once: in SQL, without a merge. */
export async function oracleSessions(arrived: readonly Arrived[]): Promise<OracleSession[]> {
  const rows = arrived.filter(isAcceptable).flatMap(rowOf);
  if (rows.length === 0) return [];
  statement ??= prepare();
  const prepared = await statement;
  // One statement holds one value at a time.
  const result = turn.then(() => {
    prepared.bindVarchar(1, JSON.stringify(rows));
    return prepared.runAndReadAll();
  });
  turn = result;
  return (await result).getRowObjectsJS() as OracleSession[];
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What no row's clock decides; that is the SQL's. */
export function isAcceptable({ event, funnelId }: Arrived): boolean {
  const characters = Array.from(event.sessionId).length;
  return (
    UUID.test(event.eventId) &&
    characters >= 1 &&
    characters <= 128 &&
    (event.funnelId ?? funnelId) === funnelId &&
    typeof event.stepIndex !== 'string'
  );
}

function rowOf({ event, funnelId, arrivalMs, client }: Arrived) {
  const { countsAs } = CLIENTS[client];
  if (countsAs === null) return [];
  return [
    {
      ...{ funnelId, sessionId: event.sessionId, timestamp: event.timestamp, arrivalMs },
      ...{ step: event.stepIndex ?? null, payload: event.payload ?? {}, referrer: oracleReferrer(event) },
      utmSource: event.utmSource ?? '',
      utmMedium: event.utmMedium ?? '',
      utmCampaign: event.utmCampaign ?? '',
      utmTerm: event.utmTerm ?? '',
      utmContent: event.utmContent ?? '',
      ...countsAs,
    },
  ];
}

/** Host without `www.`; none or the page's own: `direct`. */
function oracleReferrer({ referrer, pageUrl }: Pick<Arrived['event'], 'referrer' | 'pageUrl'>): string {
  const [from, to] = [referrer, pageUrl].map((address) => (address ? hostIn(address) : ''));
  return from === undefined || from === '' || from === to ? 'direct' : from;
}

const hostIn = (address: string): string => {
  const { hostname } = new URL(address);
  return hostname.startsWith('www.') ? hostname.slice('www.'.length) : hostname;
};
