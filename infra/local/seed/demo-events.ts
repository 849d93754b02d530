import type { EventRow } from '../../../shared/analytics/events/event-row.ts';
import { DEMO_IDS, demoId } from './demo-ids.ts';
import type { DemoVisit } from './demo-visits.ts';
import { createWeightedPicker, seededRandom } from './random.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const SEED = 20_260_102;

/** The steps of the demo funnel, with the typical time that visitors need. */
const STEPS = [
  { id: 'project', seconds: 35 },
  { id: 'details', seconds: 80 },
  { id: 'contact', seconds: 50 },
] as const;
const CONFIRM = { id: 'confirm', index: STEPS.length };

const PAGE = 'https://northlight.example/';
/** Of the visitors who did not complete the funnel, this share comes back later through the newsletter. */
const RETURNING_SHARE = 0.05;
const RETURN_DAYS_MAX = 9;
const BOT_VISITS = 600;

const pickLanguage = createWeightedPicker([
  [70, 'de-DE'],
  [14, 'en-GB'],
  [9, 'de-AT'],
  [7, 'tr-TR'],
]);

type StepFields = { step_id: string; step_index: number | null };
const NO_STEP: StepFields = { step_id: '', step_index: null };

/** Generates the events of visits and of crawlers, sorted by arrival. The same input gives the same events. */
export function demoEvents(visits: readonly DemoVisit[], nowMs: number): EventRow[] {
  const random = seededRandom(SEED);
  const events = visits.flatMap((visit) => [...visitEvents(visit, random), ...returnEvents(visit, random, nowMs)]);
  const crawled = visits.slice(0, BOT_VISITS).flatMap((visit, at) => crawlerEvents(visit, at, random));
  return [...events, ...crawled].sort((a, b) => a.received_ms - b.received_ms);
}

type Random = () => number;
type CreateEvent = (kind: string, afterMs: number, step?: StepFields) => EventRow;

/**
 * Returns a function that creates an event of a visit. Call the function in the order of the events, because the id of
 * an event depends on the number of earlier calls.
 */
function createEventFactory(
  visit: DemoVisit,
  random: Random,
  startMs = visit.startMs,
  name = visit.sessionId,
): CreateEvent {
  const common = commonFields(visit, pickLanguage(random()));
  let count = 0;
  return (kind, afterMs, step = NO_STEP) => {
    const timeMs = startMs + afterMs;
    return {
      ...common,
      ...step,
      event_id: demoId(`event ${name} ${count++}`),
      kind,
      payload: JSON.stringify({ type: kind }),
      time_ms: timeMs,
      client_time_ms: timeMs,
      // The page client buffers events for a moment before it sends them.
      received_ms: timeMs + 320 + Math.floor(random() * 400),
    };
  };
}

function visitEvents(visit: DemoVisit, random: Random): EventRow[] {
  const createEvent = createEventFactory(visit, random);
  const stepAt = (index: number): StepFields => ({ step_id: STEPS[index]?.id ?? '', step_index: index });
  const events = [createEvent('view', 0), createEvent('step_view', 0, stepAt(0))];
  let afterMs = 4 * SECOND_MS + Math.floor(random() * 20 * SECOND_MS);
  if (visit.started) events.push(createEvent('start', afterMs, stepAt(0)));
  for (const [index, { seconds }] of STEPS.slice(0, visit.stepsSubmitted).entries()) {
    // A step takes 0.5 to 3 times its typical duration. Short durations are more frequent than long durations.
    afterMs += Math.floor(seconds * SECOND_MS * (0.5 + 2.5 * random() ** 2));
    events.push(createEvent('step_submit', afterMs, stepAt(index)));
    const isLast = index === STEPS.length - 1;
    if (isLast) events.push(createEvent('complete', afterMs, stepAt(index)));
    const next = isLast ? { step_id: CONFIRM.id, step_index: CONFIRM.index } : stepAt(index + 1);
    events.push(createEvent('step_view', afterMs, next));
  }
  return events;
}

/**
 * For a few visits, creates the events of a later page view in the same session. These events add no session, start or
 * completion.
 */
function returnEvents(visit: DemoVisit, random: Random, nowMs: number): EventRow[] {
  const returns = random() < RETURNING_SHARE && visit.stepsSubmitted < STEPS.length;
  const startMs = visit.startMs + Math.floor((1 + random() * (RETURN_DAYS_MAX - 1)) * DAY_MS);
  if (!returns || startMs > nowMs - SECOND_MS) return [];
  const newsletter = { utmSource: 'newsletter', utmMedium: 'email', utmCampaign: 'come-back' };
  const createEvent = createEventFactory(
    { ...visit, referrer: 'direct', ...newsletter },
    random,
    startMs,
    `${visit.sessionId} again`,
  );
  return [createEvent('view', 0), createEvent('step_view', 0, { step_id: STEPS[0].id, step_index: 0 })];
}

/** Creates the events of a crawler's page view, at the time of a visit. */
function crawlerEvents(visit: DemoVisit, at: number, random: Random): EventRow[] {
  const crawler: DemoVisit = {
    ...visit,
    sessionId: `crawler-${at}`,
    started: false,
    stepsSubmitted: 0,
    referrer: 'direct',
    utmSource: '',
    utmMedium: '',
    utmCampaign: '',
    deviceType: 'desktop',
    browser: 'other',
    os: 'other',
  };
  return visitEvents(crawler, random).map((event) => ({ ...event, bot: true }));
}

/** Returns the fields that all events of a visit have in common. */
function commonFields(visit: DemoVisit, language: string) {
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
