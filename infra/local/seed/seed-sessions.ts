import { duckdbFactWriter } from '../../../shared/analytics/facts/duckdb-fact-writer.ts';
import { dynamoManifests } from '../../../shared/analytics/facts/dynamo-manifests.ts';
import { importFacts } from '../../../shared/analytics/facts/import-facts.ts';
import { type CountedEvent, reduceEvents } from '../../../shared/analytics/facts/reduce-events.ts';
import { s3FactObjectWriter } from '../../../shared/analytics/facts/s3-fact-objects.ts';
import { DEMO_IDS } from './demo-ids.ts';
import type { DemoVisit } from './demo-visits.ts';

const STEP_MS = 40_000;

/** Writes the visits by the same code as production: events, reduced to facts, put into files. */
export async function seedSessions(visits: readonly DemoVisit[]): Promise<void> {
  const ports = { writer: duckdbFactWriter(s3FactObjectWriter()), manifests: dynamoManifests() };
  for (const [funnelId, facts] of reduceEvents(visits.flatMap(eventsOf))) await importFacts(ports, funnelId, facts);
}

/** What the demo page tells of such a visit. */
function eventsOf(visit: DemoVisit): CountedEvent[] {
  const event = (kind: string, step: number): CountedEvent => {
    const timeMs = visit.startMs + step * STEP_MS;
    return { ...seenOf(visit), kind, time_ms: timeMs, client_time_ms: timeMs, step_index: step };
  };
  const events = [event('view', 0), event('step_view', 0)];
  if (visit.started) events.push(event('start', 0));
  for (let step = 0; step < visit.stepsSubmitted; step++) events.push(event('step_submit', step));
  if (visit.stepsSubmitted === 3) events.push(event('complete', 2));
  return events;
}

/** What all events of a visit share. */
const seenOf = (visit: DemoVisit) => ({
  funnel_id: DEMO_IDS.funnel,
  session_id: visit.sessionId,
  referrer: visit.referrer,
  utm_source: visit.utmSource,
  utm_medium: visit.utmMedium,
  utm_campaign: visit.utmCampaign,
  utm_term: '',
  utm_content: '',
  device_type: visit.deviceType,
  browser: visit.browser,
  os: visit.os,
  bot: false,
});
