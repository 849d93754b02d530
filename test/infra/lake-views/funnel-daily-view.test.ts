import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Fact, mergeFactsBySession } from '../../../shared/analytics/facts/fact.ts';
import { readTimeseries } from '../../../shared/analytics/queries/timeseries.ts';
import { addFresh, createMemoryAnalytics, DAY_MS, someEvent } from '../../support/analytics/analytics.ts';
import { FUNNEL } from '../../support/analytics/duckdb-fact-store.ts';
import { rowsOf, viewsOver } from '../../support/analytics/lake-views.ts';
import { PATIENCE_MS } from '../../support/analytics/model-based/timeout.ts';

/**
 * For each time zone: a time at which the clocks change or a day begins. Some zones have days of 23, 23.5 or 25
 * hours, or days that begin at 01:00 or begin twice. The other zones have a constant offset.
 */
const ZONES = {
  UTC: '2026-06-30T00:00:00Z',
  'Europe/Berlin': '2026-03-29T01:00:00Z',
  'America/Havana': '2026-11-01T05:00:00Z',
  'Asia/Beirut': '2026-03-28T22:00:00Z',
  'Australia/Lord_Howe': '2026-10-03T15:30:00Z',
  'America/Santiago': '2026-09-06T04:00:00Z',
  'Pacific/Kiritimati': '2026-06-30T10:00:00Z',
  'Asia/Kathmandu': '2026-06-29T18:15:00Z',
};
const MINUTE_MS = 60_000;

/** Loading the views takes longer than querying them, so each run checks the facts of several funnels. */
const FUNNELS_PER_RUN = 20;

/** Generates facts around the time at which the clocks of a zone change or a day begins. */
const someDays = fc.constantFrom(...Object.entries(ZONES)).chain(([timeZone, change]) => {
  const time = fc
    .oneof(fc.integer({ min: -90, max: 90 }), fc.integer({ min: -2_880, max: 2_880 }))
    .map((minutes) => Date.parse(change) + minutes * MINUTE_MS);
  const fact = fc
    .tuple(someEvent, time)
    .map(([event, firstTimeMs]) => ({ ...event, firstTimeMs, clientTimeMs: firstTimeMs }));
  const facts = fc.array(fact, { minLength: 1, maxLength: 20 });
  const funnels = fc.array(facts, { minLength: FUNNELS_PER_RUN, maxLength: FUNNELS_PER_RUN });
  return fc.record({ timeZone: fc.constant(timeZone), funnels });
});

/** Returns the days of the timeseries that have starts. */
async function daysFromApi(facts: readonly Fact[], timeZone: string) {
  const analytics = createMemoryAnalytics();
  await addFresh(analytics.fresh, FUNNEL, facts);
  const untilMs = Math.max(...Array.from(mergeFactsBySession(facts).values(), ({ firstTimeMs }) => firstTimeMs)) + 1;
  const range = { since: untilMs - 10 * DAY_MS, untilMs, timeZone };
  const { points } = await readTimeseries(analytics, FUNNEL, { range, filters: {}, granularity: 'day' });
  return points
    .filter(({ starts }) => starts > 0)
    .map(({ bucket, ...counts }) => ({ day: bucket.slice(0, 10), ...counts }));
}

test(
  'on each day with starts, funnel_daily equals the API’s timeseries, even if the day has 23, 23.5 or 25 hours',
  async () => {
    await fc.assert(
      fc.asyncProperty(someDays, async ({ timeZone, funnels }) => {
        const rows = funnels.flatMap((facts, at) =>
          facts.map((fact) => ({ funnelId: `funnel-${at}`, fact, completeUntilMs: 0 })),
        );
        const fromView = await viewsOver(
          { facts: [...rows, ...rows] },
          (connection) =>
            rowsOf(
              connection,
              `SELECT funnel_id AS funnelId, day::VARCHAR AS day, starts, completions, conversion_rate AS conversionRate
             FROM funnel_daily WHERE starts > 0 ORDER BY day`,
            ),
          timeZone,
        );
        for (const [at, facts] of funnels.entries()) {
          const ofFunnel = fromView.filter(({ funnelId }) => funnelId === `funnel-${at}`);
          expect(
            ofFunnel.map(({ day, starts, completions, conversionRate }) => ({
              day,
              starts: Number(starts),
              completions: Number(completions),
              conversionRate,
            })),
          ).toEqual(await daysFromApi(facts, timeZone));
        }
      }),
      { numRuns: 1_000 / FUNNELS_PER_RUN },
    );
  },
  PATIENCE_MS,
);
