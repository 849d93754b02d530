import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasLosses } from '../../../../infra/cli/analytics/rebuild/rebuild-diff.ts';
import { rebuildFacts } from '../../../../infra/cli/analytics/rebuild/rebuild-facts.ts';
import { createMemoryRawEventStore, createMemoryStaging } from '../../../support/analytics/memory-stores.ts';
import {
  type Crash,
  historyOf,
  someAction,
  someCrash,
  someMoment,
  someQuestion,
} from '../../../support/analytics/model-based/arbitraries.ts';
import { expectMatchesOracle } from '../../../support/analytics/model-based/expect-matches-oracle.ts';
import {
  crashAtEffect,
  ignoreCrash,
  interceptEffects,
} from '../../../support/analytics/model-based/intercept-effects.ts';
import { MINUTE_MS } from '../../../support/analytics/model-based/sent-events.ts';
import { createWorld, type World } from '../../../support/analytics/model-based/simulation.ts';
import { storedEventsOf } from '../../../support/analytics/model-based/streamed-rows.ts';
import { memoryStores, upkeep } from '../../../support/analytics/model-based/system-under-test.ts';
import { PATIENCE_MS } from '../../../support/analytics/model-based/timeout.ts';
import { withUncontendedLease } from '../../../support/platform/lease.ts';

/**
 * Rebuilds facts from the delivered events. All raw events except the first are stored twice, as duplicates.
 * @returns whether the rebuild committed
 */
async function rebuildFrom(world: World, funnelId: string, crash: Crash | null): Promise<boolean> {
  const rows = storedEventsOf(world.delivered());
  const raw = createMemoryRawEventStore();
  raw.add(rows);
  raw.add(rows.slice(1));
  const ports = interceptEffects(
    world.stores.ports,
    crashAtEffect(crash, async () => undefined),
  );
  const confirm = async (difference: Parameters<typeof hasLosses>[0]) => {
    expect(hasLosses(difference)).toBe(false);
    return true;
  };
  const tombstones = { listSessionKeys: async () => [] };
  const rebuilt = await rebuildFacts(
    {
      ...ports,
      raw,
      tombstones,
      withLease: withUncontendedLease,
      staging: createMemoryStaging(ports.factReader),
      clock: world.clock,
    },
    funnelId,
    { marginMs: 15 * MINUTE_MS, fileSessionsMax: 2, confirm },
  ).catch(ignoreCrash);
  return rebuilt?.outcome === 'rebuilt';
}

test(
  'after any history, reads do not change when facts are rebuilt from raw events, even if the rebuild crashes',
  async () => {
    const someStep = fc.tuple(someAction, someQuestion, fc.option(fc.record({ crash: someCrash })));
    let rebuilt = 0;
    await fc.assert(
      fc.asyncProperty(someMoment, historyOf(someStep, 6), async (nowMs, history) => {
        const world = createWorld(memoryStores, upkeep, nowMs);
        for (const [action, question, rebuilding] of history) {
          await world.act(action);
          if (rebuilding === null) continue;
          for (const [at, funnelId] of world.funnels.entries()) {
            if (await rebuildFrom(world, funnelId, at === 0 ? rebuilding.crash : null)) rebuilt++;
            for (const reader of world.stores.readers()) await expectMatchesOracle(world, reader, funnelId, question);
          }
        }
      }),
      { numRuns: 1_000 },
    );
    expect(rebuilt).toBeGreaterThan(100);
  },
  PATIENCE_MS,
);
