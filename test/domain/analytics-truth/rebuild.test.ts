import fc from 'fast-check';
import { expect, test } from 'vitest';
import { losesAnything } from '../../../shared/analytics/upkeep/comparison.ts';
import { rebuild } from '../../../shared/analytics/upkeep/rebuild.ts';
import { around, dying, unlessCrashed } from '../../support/analytics-truth/effects.ts';
import {
  type Crash,
  historyOf,
  someAction,
  someCrash,
  someMoment,
  someQuestion,
} from '../../support/analytics-truth/histories.ts';
import { PATIENCE_MS } from '../../support/analytics-truth/patience.ts';
import { memoryStores, upkeep } from '../../support/analytics-truth/product.ts';
import { MINUTE_MS } from '../../support/analytics-truth/sent.ts';
import { storedEventsOf } from '../../support/analytics-truth/streamed.ts';
import { expectTruth } from '../../support/analytics-truth/truth.ts';
import { createWorld, type World } from '../../support/analytics-truth/world.ts';
import { alone } from '../../support/turns.ts';
import { memoryRawEvents, memoryStaging } from '../../support/upkeep.ts';

/** Makes the funnel's facts anew of what was delivered, some of it kept twice; true when a commit replaced them. */
async function rebuildFrom(world: World, funnelId: string, crash: Crash | null): Promise<boolean> {
  const rows = storedEventsOf(world.delivered());
  const raw = memoryRawEvents();
  raw.add(rows);
  raw.add(rows.slice(1));
  const ports = around(
    world.stores.ports,
    dying(crash, async () => undefined),
  );
  const agree = async (difference: Parameters<typeof losesAnything>[0]) => {
    expect(losesAnything(difference)).toBe(false);
    return true;
  };
  const erasures = { keys: async () => [] };
  const rebuilt = await rebuild(
    { ...ports, raw, erasures, inTurn: alone, staging: memoryStaging(ports.files), clock: world.clock },
    funnelId,
    { marginMs: 15 * MINUTE_MS, fileSessionsMax: 2, agree },
  ).catch(unlessCrashed);
  return rebuilt?.outcome === 'rebuilt';
}

test(
  'facts made anew from raw events, whatever happened before and wherever it stops, give the same reads',
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
            for (const reader of world.stores.readers()) await expectTruth(world, reader, funnelId, question);
          }
        }
      }),
      { numRuns: 1_000 },
    );
    expect(rebuilt).toBeGreaterThan(100);
  },
  PATIENCE_MS,
);
