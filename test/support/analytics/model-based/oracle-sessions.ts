import { DatabaseSync } from 'node:sqlite';
import { once } from '../../../../shared/platform/once.ts';
import { type Arrived, CLIENTS, DAY_MS, MINUTE_MS } from './sent-events.ts';

/** A session as defined in ADR 0001. `firstMs` is the time of its first event in milliseconds since the epoch. */
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

const column = (name: string) => `value ->> '${name}' AS "${name}"`;
const ROWS = ['funnelId', 'sessionId', 'timestamp', 'arrivalMs', 'step', ...ORACLE_DIMENSIONS].map(column).join(', ');

/** SQL that returns a text property of the payload, or NULL if the property is absent, empty or not a text. */
const said = (name: string) =>
  `nullif(CASE json_type(payload, '$.${name}') WHEN 'text' THEN payload ->> '$.${name}' END, '')`;
/** SQL for the type of an event: the text of the first non-empty property. `SESSIONS` removes the prefix `funnel_`. */
const KIND = `coalesce(${['type', 'event', 'name'].map(said).join(', ')}, '')`;

/** The order that determines the first event of a session. SQLite compares texts by their UTF-8 bytes. */
const FIRST = `ms, client_ms, step NULLS LAST, ${ORACLE_DIMENSIONS.map((name) => `nullif("${name}", '') NULLS LAST`).join(', ')}`;

const SESSIONS = `
  WITH sent AS (SELECT ${ROWS}, value -> 'payload' AS payload FROM json_each(?)),
  timed AS (SELECT *, CAST(round(unixepoch("timestamp", 'subsec') * 1000) AS INTEGER) AS client_ms, ${KIND} AS said FROM sent),
  accepted AS (
    SELECT *, CASE WHEN client_ms - "arrivalMs" > ${5 * MINUTE_MS} THEN "arrivalMs" ELSE client_ms END AS ms,
      CASE WHEN substr(said, 1, 7) = 'funnel_' THEN substr(said, 8) ELSE said END AS kind
    FROM timed WHERE "arrivalMs" - client_ms <= ${30 * DAY_MS}
  ),
  placed AS (
    SELECT *,
      row_number() OVER (PARTITION BY "funnelId", "sessionId" ORDER BY ${FIRST}) AS place,
      max(kind IN ('start', 'step_submit', 'complete') OR coalesce(step, 0) >= 1) OVER of_session AS started,
      max(kind = 'complete') OVER of_session AS completed
    FROM accepted WINDOW of_session AS (PARTITION BY "funnelId", "sessionId")
  )
  SELECT "funnelId", ms AS "firstMs", started, completed, ${ORACLE_DIMENSIONS.map((name) => `"${name}"`).join(', ')}
  FROM placed WHERE place = 1`;

/** Uses SQLite, which plans a statement only once. For a few rows, DuckDB takes many times as long. */
const prepared = once(() => new DatabaseSync(':memory:').prepare(SESSIONS));

/** Computes the sessions with one SQL query over all events, without merging facts. */
export async function oracleSessions(arrived: readonly Arrived[]): Promise<OracleSession[]> {
  const rows = arrived.filter(isAcceptable).flatMap(rowOf);
  if (rows.length === 0) return [];
  const sessions = prepared().all(JSON.stringify(rows)) as (Omit<OracleSession, 'started' | 'completed'> &
    Record<'started' | 'completed', number>)[];
  return sessions.map((session) => ({
    ...session,
    started: session.started === 1,
    completed: session.completed === 1,
  }));
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether an event is valid. Does not check the time, because the SQL checks it. */
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
      funnelId,
      sessionId: event.sessionId,
      timestamp: event.timestamp,
      arrivalMs,
      step: event.stepIndex ?? null,
      payload: event.payload ?? {},
      referrer: oracleReferrer(event),
      utmSource: event.utmSource ?? '',
      utmMedium: event.utmMedium ?? '',
      utmCampaign: event.utmCampaign ?? '',
      utmTerm: event.utmTerm ?? '',
      utmContent: event.utmContent ?? '',
      ...countsAs,
    },
  ];
}

/** The referrer's hostname without `www.`; `direct` if there is no referrer or it has the page's hostname. */
function oracleReferrer({ referrer, pageUrl }: Pick<Arrived['event'], 'referrer' | 'pageUrl'>): string {
  const [from, to] = [referrer, pageUrl].map((address) => (address ? hostIn(address) : ''));
  return from === undefined || from === '' || from === to ? 'direct' : from;
}

const hostIn = (address: string): string => {
  const { hostname } = new URL(address);
  return hostname.startsWith('www.') ? hostname.slice('www.'.length) : hostname;
};
