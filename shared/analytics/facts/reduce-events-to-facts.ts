import * as z from 'zod/mini';
import { EventRow } from '../events/event-row.ts';
import { sessionKey } from '../events/session-key.ts';
import { type Fact, mergeFactsBySession } from './fact.ts';

/** The columns that facts are made from. Invalid values of other columns don't make a row unreadable. */
export const FactInputRow = z.pick(EventRow, {
  funnel_id: true,
  session_id: true,
  time_ms: true,
  client_time_ms: true,
  kind: true,
  step_index: true,
  referrer: true,
  utm_source: true,
  utm_medium: true,
  utm_campaign: true,
  utm_term: true,
  utm_content: true,
  device_type: true,
  browser: true,
  os: true,
  bot: true,
});
export type FactInputRow = z.output<typeof FactInputRow>;

/** Reduces events to one fact per session, by funnel. Ignores events of bots. */
export function reduceEventsToFacts(events: readonly FactInputRow[]): Map<string, Fact[]> {
  const eventsOfPeople = events.filter(({ bot }) => !bot);
  const byFunnel = Map.groupBy(eventsOfPeople, ({ funnel_id }) => funnel_id);
  return new Map(
    [...byFunnel].map(([funnelId, rows]) => [funnelId, [...mergeFactsBySession(rows.map(factOf)).values()]]),
  );
}

const STARTS: ReadonlySet<string> = new Set(['start', 'step_submit', 'complete']);

function factOf(event: FactInputRow): Fact {
  return {
    // Computed again, because `JSON.parse` rounds the 64-bit `session_key` of the row.
    sessionKey: sessionKey(event.funnel_id, event.session_id),
    firstTimeMs: event.time_ms,
    clientTimeMs: event.client_time_ms,
    stepIndex: event.step_index,
    referrer: event.referrer,
    utmSource: event.utm_source,
    utmMedium: event.utm_medium,
    utmCampaign: event.utm_campaign,
    utmTerm: event.utm_term,
    utmContent: event.utm_content,
    deviceType: event.device_type,
    browser: event.browser,
    os: event.os,
    started: STARTS.has(event.kind) || (event.step_index ?? 0) >= 1,
    completed: event.kind === 'complete',
  };
}
