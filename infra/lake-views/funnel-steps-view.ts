import { type LakeView, percentOf } from './lake-view.ts';

/**
 * Shows at which steps visitors leave a funnel. A session is counted once per step, on the day of the session's first
 * event. Therefore, the counts of several days can be added.
 */
export const FUNNEL_STEPS: LakeView = {
  name: 'funnel_steps',
  about:
    'One row per funnel, day and step, with counts of the sessions that reached the step. The day is that of a ' +
    'session’s first event. Without bots.',
  columns: [
    { name: 'funnel_id', type: 'VARCHAR', about: 'The funnel.' },
    { name: 'day', type: 'DATE', about: 'The day of the sessions’ first events in the views’ time zone.' },
    { name: 'step_index', type: 'BIGINT', about: 'Position of the step; null when the page did not send it.' },
    { name: 'step_id', type: 'VARCHAR', about: 'The step; empty when the page did not send it.' },
    { name: 'reached', type: 'BIGINT', about: 'Sessions with any event of the step.' },
    { name: 'submitted', type: 'BIGINT', about: 'Sessions that submitted the step.' },
    {
      name: 'went_on',
      type: 'BIGINT',
      about: 'Sessions that reached a later step, or that completed at this step, at a later step or without a step.',
    },
    {
      name: 'went_on_rate',
      type: 'DOUBLE',
      about: 'Share of `reached` that went on, percent with 2 decimals.',
    },
  ],
  select: ({ local }, timeZone) => `WITH people AS (
  SELECT funnel_id, session_key, event_time, kind, step_index, step_id
  FROM events
  WHERE NOT bot
), visits AS (
  SELECT
    funnel_id,
    session_key,
    CAST(${local('min(event_time)', timeZone)} AS date) AS day,
    max(step_index) AS last_step,
    bool_or(kind = 'complete') AS completed,
    max(CASE WHEN kind = 'complete' THEN step_index END) AS completed_step
  FROM people
  GROUP BY funnel_id, session_key
), steps AS (
  SELECT funnel_id, session_key, step_index, step_id, bool_or(kind = 'step_submit') AS submitted
  FROM people
  WHERE step_index IS NOT NULL OR step_id <> ''
  GROUP BY funnel_id, session_key, step_index, step_id
), counted AS (
  SELECT
    steps.funnel_id,
    visits.day,
    steps.step_index,
    steps.step_id,
    count(*) AS reached,
    count(*) FILTER (WHERE steps.submitted) AS submitted,
    count(*) FILTER (
      WHERE visits.last_step > steps.step_index
      OR coalesce(visits.completed_step >= steps.step_index, visits.completed)
    ) AS went_on
  FROM steps
  JOIN visits ON visits.funnel_id = steps.funnel_id AND visits.session_key = steps.session_key
  GROUP BY steps.funnel_id, visits.day, steps.step_index, steps.step_id
)
SELECT
  funnel_id,
  day,
  step_index,
  step_id,
  reached,
  submitted,
  went_on,
  ${percentOf('went_on', 'reached')} AS went_on_rate
FROM counted`,
};
