import { expect, test } from 'vitest';
import { demoEvents } from '../../../../infra/local/seed/demo-events.ts';
import { demoVisits } from '../../../../infra/local/seed/demo-visits.ts';
import { EventRow } from '../../../../shared/analytics/events/event-row.ts';
import { reduceEventsToFacts } from '../../../../shared/analytics/facts/reduce-events-to-facts.ts';

const NOW_MS = Date.UTC(2026, 4, 31, 15, 20);
const visits = demoVisits(NOW_MS, 3_000);
const events = demoEvents(visits, NOW_MS);

test('the same visits give the same events, with unique ids and in the format that ingest stores', () => {
  expect(demoEvents(visits, NOW_MS)).toEqual(events);
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  for (const event of events) expect(EventRow.parse(event)).toEqual(event);
});

test('events are sorted by arrival; each event arrives within a second, and no event arrives in the future', () => {
  const arrivals = events.map(({ received_ms }) => received_ms);
  expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b));
  expect(arrivals.at(-1)).toBeLessThanOrEqual(NOW_MS);
  for (const { received_ms, time_ms } of events)
    expect(received_ms - time_ms).toSatisfy((ms: number) => 0 < ms && ms < 1_000);
});

test('the facts have the same number of sessions, starts and completions as the visits; crawlers are not counted', () => {
  const facts = [...reduceEventsToFacts(events).values()].flat();
  const count = (holds: (of: (typeof facts)[number]) => boolean) => facts.filter(holds).length;
  expect(facts).toHaveLength(visits.length);
  expect(count(({ started }) => started)).toBe(visits.filter(({ started }) => started).length);
  expect(count(({ completed }) => completed)).toBe(visits.filter(({ stepsSubmitted }) => stepsSubmitted === 3).length);
  expect(facts.map(({ firstTimeMs: timeMs }) => timeMs).sort()).toEqual(visits.map(({ startMs }) => startMs).sort());
  expect(events.some(({ bot }) => bot)).toBe(true);
  expect(events.some(({ utm_campaign }) => utm_campaign === 'come-back')).toBe(true);
});
