import type { LakeView, ViewColumn } from './lake-view.ts';
import { RAW_EVENT_COLUMNS } from './raw-event-columns.ts';

/** The timestamp columns of the view. The keys are the columns of the files with the same times in milliseconds. */
const TIMES: Readonly<Record<string, { name: string; about: string }>> = {
  time_ms: { name: 'event_time', about: 'Time of the event, UTC; never more than 5 minutes after the arrival.' },
  client_time_ms: { name: 'client_time', about: 'Time of the event by the clock of the page, UTC.' },
  received_ms: { name: 'received_time', about: 'Time of arrival, UTC.' },
};
const FIRST = ['funnel_id', 'session_key', 'event_id', 'time_ms'];

const columnOf = (name: string) => RAW_EVENT_COLUMNS.filter((column) => column.name === name);
const OTHERS = RAW_EVENT_COLUMNS.filter(({ name }) => !FIRST.includes(name));

const DAY: ViewColumn = { name: 'day', type: 'DATE', about: 'Date of the event in the views’ time zone.' };
const PAYLOAD_ABOUT = 'The free-form payload as JSON; null when absent.';

const typed = ({ name, type, about }: (typeof RAW_EVENT_COLUMNS)[number]): ViewColumn[] => {
  const time = TIMES[name];
  if (time === undefined) return [{ name, type, about: name === 'payload' ? PAYLOAD_ABOUT : about }];
  return name === 'time_ms' ? [{ ...time, type: 'TIMESTAMP' }, DAY] : [{ ...time, type: 'TIMESTAMP' }];
};

/**
 * If a funnel has several rows with the same event id, the view contains only the row that arrived first. Rows of
 * different funnels may have the same event id, because clients choose the ids. The view contains all these rows.
 */
export const EVENTS: LakeView = {
  name: 'events',
  about:
    'One row per event, including events of bots. If an event was stored more than once, the row that arrived first ' +
    'is used.',
  columns: [...FIRST.flatMap(columnOf), ...OTHERS].flatMap(typed),
  select: (dialect, timeZone) => {
    const time = dialect.utc('time_ms');
    const day = `CAST(${dialect.local(time, timeZone)} AS date) AS day`;
    const selected = ({ name }: { name: string }): string[] => {
      // In the files, an absent payload is an empty text. JSON functions fail on an empty text, but not on null.
      if (name === 'payload') return ["nullif(payload, '') AS payload"];
      const as = TIMES[name];
      if (as === undefined) return [name];
      return [`${dialect.utc(name)} AS ${as.name}`, ...(name === 'time_ms' ? [day] : [])];
    };
    return `SELECT
  ${[...FIRST.flatMap(columnOf), ...OTHERS].flatMap(selected).join(',\n  ')}
FROM (
  SELECT *, row_number() OVER (
    PARTITION BY funnel_id, event_id
    ORDER BY ${ORDER.join(', ')}
  ) AS position
  FROM raw_events
) AS numbered
WHERE position = 1`;
  },
};

/** Sorts by arrival, then by all other columns, so that the result does not depend on the order of rows or files. */
const ORDER = [
  'received_ms',
  ...RAW_EVENT_COLUMNS.map(({ name }) => name).filter(
    (name) => !['received_ms', 'funnel_id', 'event_id'].includes(name),
  ),
].map((name) => `${name} NULLS LAST`);
