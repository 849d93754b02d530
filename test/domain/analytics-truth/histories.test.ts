import fc from 'fast-check';
import { test } from 'vitest';
import { historyOf, someAction, someMoment, someQuestion } from '../../support/analytics-truth/histories.ts';
import { PATIENCE_MS } from '../../support/analytics-truth/patience.ts';
import { memoryStores, upkeep } from '../../support/analytics-truth/product.ts';
import { expectTruth } from '../../support/analytics-truth/truth.ts';
import { createWorld } from '../../support/analytics-truth/world.ts';

const RUNS = 1_000;

test(
  'whatever happens to events and stores, every read says what the events say',
  async () => {
    const someHistory = historyOf(fc.tuple(someAction, someQuestion), 10);
    await fc.assert(
      fc.asyncProperty(someMoment, someHistory, async (nowMs, history) => {
        const world = createWorld(memoryStores, upkeep, nowMs);
        for (const [action, question] of history) {
          world.observedBy(async (readers) => {
            for (const reader of readers)
              for (const funnelId of world.funnels) await expectTruth(world, reader, funnelId, question);
          });
          await world.act(action);
        }
      }),
      { numRuns: RUNS },
    );
  },
  PATIENCE_MS,
);
