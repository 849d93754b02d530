import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeAll } from '../../../shared/analytics/facts/fact.ts';
import { completeUntil } from '../../../shared/analytics/facts/manifest.ts';
import { reduceEvents } from '../../../shared/analytics/facts/reduce-events.ts';
import { historyOf, someAction, someMoment } from '../../support/analytics-truth/histories.ts';
import { PATIENCE_MS } from '../../support/analytics-truth/patience.ts';
import { memoryStores, upkeep } from '../../support/analytics-truth/product.ts';
import { storedEventsOf } from '../../support/analytics-truth/streamed.ts';
import { createWorld, type Streamed, type World } from '../../support/analytics-truth/world.ts';

/** A clock that goes back says two things of one time. */
const someHistory = historyOf(
  someAction.filter((action) => action.do !== 'tick' || action.ms > 0),
  12,
);

/** What the funnel's files say by themselves. */
async function inFiles({ stores: { ports } }: World, funnelId: string) {
  const { files } = await ports.manifests.read(funnelId);
  return { facts: await ports.files.read(files), untilMs: completeUntil(files) };
}

test(
  'every fact that a read could count at the time that files name is in the files',
  async () => {
    let named = 0;
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
            // Within one instant the order is not known.
            const before = [...deliveredMs].filter(([, ms]) => ms < untilMs).map(([record]) => record);
            const due = reduceEvents(storedEventsOf(before)).get(funnelId) ?? [];
            if (due.length > 0) named++;
            expect(mergeAll([...facts, ...due])).toEqual(mergeAll(facts));
          }
        }
      }),
      { numRuns: 1_000 },
    );
    expect(named).toBeGreaterThan(100);
  },
  PATIENCE_MS,
);
