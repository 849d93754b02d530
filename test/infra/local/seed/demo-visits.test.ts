import { expect, test } from 'vitest';
import { DEMO_DAYS, DEMO_VISITS, demoVisits } from '../../../../infra/local/seed/demo-visits.ts';

const NOW_MS = Date.UTC(2026, 4, 31, 15, 20);
const DAY_MS = 86_400_000;

test('the same end time gives the same sessions, and another end time gives other sessions', () => {
  expect(demoVisits(NOW_MS, 500)).toEqual(demoVisits(NOW_MS, 500));
  expect(demoVisits(NOW_MS, 500)).not.toEqual(demoVisits(NOW_MS + DAY_MS, 500));
});

test('sessions have unique ids, and start on the current day and each of the last ninety days', () => {
  const visits = demoVisits(NOW_MS);
  const starts = visits.map(({ startMs }) => startMs);
  expect(new Set(visits.map(({ sessionId }) => sessionId)).size).toBe(DEMO_VISITS);
  expect(Math.min(...starts)).toBeGreaterThanOrEqual(NOW_MS - DEMO_DAYS * DAY_MS);
  expect(Math.max(...starts)).toBeLessThan(NOW_MS);
  expect(Math.max(...starts)).toBeGreaterThan(NOW_MS - DAY_MS / 2);
  const days = new Set(starts.map((startMs) => Math.floor(startMs / DAY_MS)));
  expect(days.size).toBe(DEMO_DAYS + 1);
});

test('each step has fewer visitors than the step before it; every visitor who submits a step has started', () => {
  const visits = demoVisits(NOW_MS);
  const reached = (steps: number) => visits.filter(({ stepsSubmitted }) => stepsSubmitted >= steps).length;
  const started = visits.filter(({ started }) => started).length;
  const counts = [visits.length, started, reached(1), reached(2), reached(3), 0];
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  expect(new Set(counts).size).toBe(counts.length);
  expect(visits.filter(({ started, stepsSubmitted }) => stepsSubmitted > 0 && !started)).toEqual([]);
});
