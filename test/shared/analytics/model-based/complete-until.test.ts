import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeFactsBySession } from '../../../../shared/analytics/facts/fact.ts';
import { latestCompleteUntilMs } from '../../../../shared/analytics/facts/manifest.ts';
import { reduceEventsToFacts } from '../../../../shared/analytics/facts/reduce-events-to-facts.ts';
import { historyOf, someAction, someMoment } from '../../../support/analytics/model-based/arbitraries.ts';
import { createWorld, type Streamed, type World } from '../../../support/analytics/model-based/simulation.ts';
import { storedEventsOf } from '../../../support/analytics/model-based/streamed-rows.ts';
import { memoryStores, upkeep } from '../../../support/analytics/model-based/system-under-test.ts';
import { PATIENCE_MS } from '../../../support/analytics/model-based/timeout.ts';

/** The clock is never set back. Otherwise, a later event could have a time before `completeUntilMs`. */
const someHistory = historyOf(
  someAction.filter((action) => action.do !== 'tick' || action.ms > 0),
  12,
);

/** The facts in the funnel's files, and the time until which they are complete. */
async function inFiles({ stores: { ports } }: World, funnelId: string) {
  const { files } = await ports.manifests.read(funnelId);
  return { facts: await ports.factReader.read(files), untilMs: latestCompleteUntilMs(files) };
}

test(
  'if the clock is never set back, a funnel’s files contain the facts of all events delivered before completeUntilMs',
  async () => {
    let comparisons = 0;
    await fc.assert(
      fc.asyncProperty(someMoment, someHistory, async (nowMs, history) => {
        const world = createWorld(memoryStores, upkeep, nowMs);
        const deliveredMs = new Map<Streamed, number>();
        for (const action of history) {
          world.clock.ms += 1;
          await world.act(action);
          for (const record of world.delivered())
            if (!deliveredMs.has(record)) deliveredMs.set(record, world.clock.now());
          for (const funnelId of world.funnels) {
            const { facts, untilMs } = await inFiles(world, funnelId);
            // Not `<=`: an event of the same millisecond may have been delivered after the compaction.
            const before = [...deliveredMs].filter(([, ms]) => ms < untilMs).map(([record]) => record);
            const due = reduceEventsToFacts(storedEventsOf(before)).get(funnelId) ?? [];
            if (due.length > 0) comparisons++;
            expect(mergeFactsBySession([...facts, ...due])).toEqual(mergeFactsBySession(facts));
          }
        }
      }),
      { numRuns: 1_000 },
    );
    expect(comparisons).toBeGreaterThan(100);
  },
  PATIENCE_MS,
);
