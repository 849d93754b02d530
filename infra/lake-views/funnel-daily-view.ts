import { type LakeView, percentOf } from './lake-view.ts';

/**
 * Counts the sessions in fact files by day, as the API's timeseries does. The days are in the views' time zone. Days
 * without sessions have no rows.
 */
export const FUNNEL_DAILY: LakeView = {
  name: 'funnel_daily',
  about: 'One row per funnel and day that has sessions, with the counts of these sessions. Without bots.',
  columns: [
    { name: 'funnel_id', type: 'VARCHAR', about: 'The funnel.' },
    {
      name: 'day',
      type: 'DATE',
      about: 'The day in the views’ time zone; a session counts on the day of its first event.',
    },
    { name: 'sessions', type: 'BIGINT', about: 'Sessions.' },
    { name: 'starts', type: 'BIGINT', about: 'Sessions that started.' },
    { name: 'completions', type: 'BIGINT', about: 'Sessions that completed.' },
    {
      name: 'conversion_rate',
      type: 'DOUBLE',
      about: 'Completions / starts, in percent with 2 decimals; 0 without starts.',
    },
  ],
  select: () => `SELECT
  funnel_id,
  day,
  sessions,
  starts,
  completions,
  ${percentOf('completions', 'starts')} AS conversion_rate
FROM (
  SELECT
    funnel_id,
    day,
    count(*) AS sessions,
    count(*) FILTER (WHERE started) AS starts,
    count(*) FILTER (WHERE completed) AS completions
  FROM sessions
  GROUP BY funnel_id, day
) AS counted`,
};
