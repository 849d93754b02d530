import fc from 'fast-check';
import { test } from 'vitest';
import { historyOf, someAction, someMoment, someQuestion } from '../../../support/analytics/model-based/arbitraries.ts';
import { expectMatchesOracle } from '../../../support/analytics/model-based/expect-matches-oracle.ts';
import { createWorld } from '../../../support/analytics/model-based/simulation.ts';
import { memoryStores, upkeep } from '../../../support/analytics/model-based/system-under-test.ts';
import { PATIENCE_MS } from '../../../support/analytics/model-based/timeout.ts';

const RUNS = 1_000;

test(
  'for any history of events, compactions and crashes, every read equals the result of the oracle',
  async () => {
    const someHistory = historyOf(fc.tuple(someAction, someQuestion), 10);
    await fc.assert(
      fc.asyncProperty(someMoment, someHistory, async (nowMs, history) => {
        const world = createWorld(memoryStores, upkeep, nowMs);
        for (const [action, question] of history) {
          world.observedBy(async (readers) => {
            for (const reader of readers)
              for (const funnelId of world.funnels) await expectMatchesOracle(world, reader, funnelId, question);
          });
          await world.act(action);
        }
      }),
      { numRuns: RUNS },
    );
  },
  PATIENCE_MS,
);
