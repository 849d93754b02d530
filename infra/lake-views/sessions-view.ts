import { FACT_DIMENSIONS } from '../../shared/analytics/facts/fact.ts';
import { COMPLETE_UNTIL_COLUMN, FACT_COLUMNS } from '../../shared/analytics/facts/fact-columns.ts';
import type { LakeView, ViewColumn } from './lake-view.ts';
import { RAW_EVENT_COLUMNS } from './raw-event-columns.ts';
import type { SqlDialect } from './sql-dialect.ts';

const { sessionKey, firstTimeMs, clientTimeMs, stepIndex, started, completed } = FACT_COLUMNS;
const DIMENSIONS = FACT_DIMENSIONS.map((property) => FACT_COLUMNS[property].name);
/** Replaces an absent step, because Trino cannot compare rows with nulls. This value is greater than every step. */
const NO_STEP = 2 ** 31;

const aboutColumn = (name: string): string => RAW_EVENT_COLUMNS.find((column) => column.name === name)?.about ?? '';

const COLUMNS: readonly ViewColumn[] = [
  { name: 'funnel_id', type: 'VARCHAR', about: 'Funnel of the session.' },
  { name: sessionKey.name, type: 'BIGINT', about: 'Key of the session within its funnel, also in `events`.' },
  { name: 'first_time', type: 'TIMESTAMP', about: 'Time of the first event, UTC.' },
  { name: 'local_time', type: 'TIMESTAMP', about: 'Time of the first event in the views’ time zone.' },
  { name: 'day', type: 'DATE', about: 'Date of `local_time`. The session counts on this day.' },
  { name: stepIndex.name, type: 'BIGINT', about: 'Step of the first event; null when absent.' },
  ...DIMENSIONS.map(
    (name): ViewColumn => ({ name, type: 'VARCHAR', about: `Value of the first event. ${aboutColumn(name)}` }),
  ),
  { name: started.name, type: 'BOOLEAN', about: 'Whether the session counts as a start.' },
  { name: completed.name, type: 'BOOLEAN', about: 'Whether the session counts as a completion.' },
  {
    name: 'complete_until',
    type: 'TIMESTAMP',
    about:
      'Time in UTC, equal for all sessions of a funnel. The view contains everything that the API counted at this time. Null when unknown.',
  },
];

/**
 * Merges the facts of a session as `fact.ts` does. The values of the first event are used, and flags are combined by
 * OR. The result is correct even if several files contain the same facts.
 */
export const SESSIONS: LakeView = {
  name: 'sessions',
  about:
    'One row per session with its first event, and whether the visitor started and completed the funnel. Without bots.',
  columns: COLUMNS,
  select: (dialect, timeZone) => `SELECT
  funnel_id,
  session_key,
  first_time,
  ${dialect.local('first_time', timeZone)} AS local_time,
  CAST(${dialect.local('first_time', timeZone)} AS date) AS day,
  nullif(step_index, ${NO_STEP}) AS step_index,
  ${DIMENSIONS.join(',\n  ')},
  started,
  completed,
  ${dialect.utc('nullif(complete_until_ms, 0)')} AS complete_until
FROM (
  SELECT
    funnel_id,
    session_key,
    ${firstEvent(dialect).join(',\n    ')},
    started,
    completed,
    max(complete_until_ms) OVER (PARTITION BY funnel_id) AS complete_until_ms
  FROM (
    SELECT
      funnel_id,
      ${sessionKey.name} AS session_key,
      min(${dialect.row(ORDER)}) AS first_event,
      bool_or(${started.name}) AS started,
      bool_or(${completed.name}) AS completed,
      max(${COMPLETE_UNTIL_COLUMN.name}) AS complete_until_ms
    FROM (${dialect.facts}) AS facts
    GROUP BY funnel_id, ${sessionKey.name}
  ) AS merged
) AS typed`,
};

/** The order of events. Absent texts are last. Other texts are compared by their UTF-8 bytes. */
const ORDER = [
  firstTimeMs.name,
  clientTimeMs.name,
  `coalesce(${stepIndex.name}, ${NO_STEP})`,
  ...DIMENSIONS.flatMap((name) => [`${name} = ''`, name]),
];

function firstEvent({ field, utc }: SqlDialect): string[] {
  const at = (position: number) => field('first_event', position);
  return [
    `${utc(at(1))} AS first_time`,
    `${at(3)} AS step_index`,
    ...DIMENSIONS.map((name, index) => `${at(5 + 2 * index)} AS ${name}`),
  ];
}
