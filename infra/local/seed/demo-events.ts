import type { EventRow } from '../../../shared/analytics/ingest/event-row.ts';
import { DEMO_IDS, demoId } from './demo-ids.ts';
import type { DemoVisit } from './demo-visits.ts';
import { createWeightedPicker, seededRandom } from './random.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const SEED = 20_260_102;

/** The steps of the demo's form with the seconds that a visitor typically takes for each. */
const STEPS = [
  { id: 'project', seconds: 35 },
  { id: 'details', seconds: 80 },
  { id: 'contact', seconds: 50 },
] as const;
const CONFIRM = { id: 'confirm', index: STEPS.length };

const PAGE = 'https://northlight.example/';
/** Of those who left without an offer, so many come back by the newsletter, without going further. */
const RETURNING_SHARE = 0.05;
const RETURN_DAYS_MAX = 9;
const BOT_VISITS = 600;

const pickLanguage = createWeightedPicker([
  [70, 'de-DE'],
  [14, 'en-GB'],
  [9, 'de-AT'],
  [7, 'tr-TR'],
]);

type Place = { step_id: string; step_index: number | null };
const NO_PLACE: Place = { step_id: '', step_index: null };

/** What the demo page tells of the visits, by arrival, and what crawlers told. The same visits give the same events. */
export function demoEvents(visits: readonly DemoVisit[], nowMs: number): EventRow[] {
  const chance = seededRandom(SEED);
  const events = visits.flatMap((visit) => [...eventsOf(visit, chance), ...returnOf(visit, chance, nowMs)]);
  const crawled = visits.slice(0, BOT_VISITS).flatMap((visit, at) => crawlerOf(visit, at, chance));
  return [...events, ...crawled].sort((a, b) => a.received_ms - b.received_ms);
}

type Chance = () => number;
type Teller = (kind: string, afterMs: number, place?: Place) => EventRow;

/** @returns what writes down the visit's events, one after the other */
function teller(visit: DemoVisit, chance: Chance, startMs = visit.startMs, name = visit.sessionId): Teller {
  const seen = seenOf(visit, pickLanguage(chance()));
  let told = 0;
  return (kind, afterMs, place = NO_PLACE) => {
    const timeMs = startMs + afterMs;
    return {
      ...seen,
      ...place,
      event_id: demoId(`event ${name} ${told++}`),
      kind,
      payload: JSON.stringify({ type: kind }),
      time_ms: timeMs,
      client_time_ms: timeMs,
      // The page collects events for a moment before it sends them.
      received_ms: timeMs + 320 + Math.floor(chance() * 400),
    };
  };
}

function eventsOf(visit: DemoVisit, chance: Chance): EventRow[] {
  const tell = teller(visit, chance);
  const place = (index: number): Place => ({ step_id: STEPS[index]?.id ?? '', step_index: index });
  const events = [tell('view', 0), tell('step_view', 0, place(0))];
  let afterMs = 4 * SECOND_MS + Math.floor(chance() * 20 * SECOND_MS);
  if (visit.started) events.push(tell('start', afterMs, place(0)));
  for (const [index, { seconds }] of STEPS.slice(0, visit.stepsSubmitted).entries()) {
    // Most are quick, a few take three times as long.
    afterMs += Math.floor(seconds * SECOND_MS * (0.5 + 2.5 * chance() ** 2));
    events.push(tell('step_submit', afterMs, place(index)));
    const isLast = index === STEPS.length - 1;
    if (isLast) events.push(tell('complete', afterMs, place(index)));
    const next = isLast ? { step_id: CONFIRM.id, step_index: CONFIRM.index } : place(index + 1);
    events.push(tell('step_view', afterMs, next));
  }
  return events;
}

/** A later look at the page in the same session: it changes nothing that is counted. */
function returnOf(visit: DemoVisit, chance: Chance, nowMs: number): EventRow[] {
  const returns = chance() < RETURNING_SHARE && visit.stepsSubmitted < STEPS.length;
  const startMs = visit.startMs + Math.floor((1 + chance() * (RETURN_DAYS_MAX - 1)) * DAY_MS);
  if (!returns || startMs > nowMs - SECOND_MS) return [];
  const newsletter = { utmSource: 'newsletter', utmMedium: 'email', utmCampaign: 'come-back' };
  const tell = teller({ ...visit, referrer: 'direct', ...newsletter }, chance, startMs, `${visit.sessionId} again`);
  return [tell('view', 0), tell('step_view', 0, { step_id: STEPS[0].id, step_index: 0 })];
}

/** A crawler that runs the page's script soon after a visitor was there. */
function crawlerOf(visit: DemoVisit, at: number, chance: Chance): EventRow[] {
  const crawler: DemoVisit = {
    ...{ ...visit, sessionId: `crawler-${at}`, started: false, stepsSubmitted: 0 },
    ...{ referrer: 'direct', utmSource: '', utmMedium: '', utmCampaign: '' },
    ...{ deviceType: 'desktop', browser: 'other', os: 'other' },
  };
  return eventsOf(crawler, chance).map((event) => ({ ...event, bot: true }));
}

/** What all events of a visit share. */
function seenOf(visit: DemoVisit, language: string) {
  const campaign = { utm_source: visit.utmSource, utm_medium: visit.utmMedium, utm_campaign: visit.utmCampaign };
  const query = new URLSearchParams(Object.entries(campaign).filter(([, value]) => value !== '')).toString();
  return {
    organization_id: DEMO_IDS.organizationA,
    funnel_id: DEMO_IDS.funnel,
    session_id: visit.sessionId,
    page_url: query === '' ? PAGE : `${PAGE}?${query}`,
    referrer_url: visit.referrer === 'direct' ? '' : `https://${visit.referrer}/`,
    referrer: visit.referrer,
    language,
    ...campaign,
    utm_term: '',
    utm_content: '',
    version: 1,
    device_type: visit.deviceType,
    browser: visit.browser,
    os: visit.os,
    bot: false,
  };
}
