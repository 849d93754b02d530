import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Erasures } from '../../../shared/analytics/facts/erasures.ts';
import type { FreshFacts } from '../../../shared/analytics/facts/fresh-facts.ts';
import { erase } from '../../../shared/analytics/upkeep/erase.ts';
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
import { memoryPorts, storesOver, upkeep } from '../../support/analytics-truth/product.ts';
import { expectTruth } from '../../support/analytics-truth/truth.ts';
import { createWorld } from '../../support/analytics-truth/world.ts';
import { memoryObjects } from '../../support/stored-objects.ts';
import { alone } from '../../support/turns.ts';
import { memoryErasures, memoryRawEvents, withoutErased } from '../../support/upkeep.ts';

/** A world in which sessions can be erased. */
function erasableWorld(nowMs: number) {
  let kept: { fresh: FreshFacts; erasures: Erasures } | undefined;
  const world = createWorld(
    (clock) => {
      const ports = memoryPorts(clock);
      kept = { fresh: ports.fresh, erasures: memoryErasures(ports.fresh) };
      return storesOver({ ...ports, fresh: withoutErased(ports.fresh, kept.erasures) });
    },
    upkeep,
    nowMs,
  );
  return { world, ...(kept ?? expect.unreachable()) };
}

/** Erases a session of the first funnel; a process that ends in the midst of it is followed by one that does not. */
async function eraseSession(
  { world, fresh, erasures }: ReturnType<typeof erasableWorld>,
  id: string,
  crash: Crash | null,
) {
  const { manifests, files, writer } = world.stores.ports;
  const others = { setAside: memoryObjects(), lake: memoryObjects(), raw: memoryRawEvents(), inTurn: alone };
  const unlisted = { objects: memoryObjects(), oldVersions: { remove: async () => 0 }, holdsAny: async () => false };
  const mortal = around(
    { fresh, manifests, files, writer },
    dying(crash, async () => undefined),
  );
  const facts = { erasures, ...unlisted, clock: world.clock };
  const [funnelId = ''] = world.funnels;
  const request = { sessionIds: [id] };
  await erase({ ...others, erasures, facts: { ...facts, ...mortal } }, funnelId, request).catch(unlessCrashed);
  if (crash !== null)
    await erase({ ...others, erasures, facts: { ...facts, fresh, manifests, files, writer } }, funnelId, request);
  world.forget(funnelId, id);
}

test(
  'what is erased counts nowhere, nor what comes of it later, and everything else counts as before',
  async () => {
    const someErasure = fc.record({ id: fc.constantFrom('s1', 's2', 's3'), crash: someCrash });
    const someStep = fc.tuple(someAction, someQuestion, fc.option(someErasure, { freq: 3 }));
    await fc.assert(
      fc.asyncProperty(someMoment, historyOf(someStep, 6), async (nowMs, history) => {
        const erasable = erasableWorld(nowMs);
        const { world } = erasable;
        let erased = false;
        for (const [action, question, erasure] of history) {
          await world.act(action);
          if (erasure !== null) await eraseSession(erasable, erasure.id, erasure.crash);
          erased ||= erasure !== null;
          if (!erased) continue;
          for (const reader of world.stores.readers())
            for (const funnelId of world.funnels) await expectTruth(world, reader, funnelId, question);
        }
      }),
      { numRuns: 1_000 },
    );
  },
  PATIENCE_MS,
);
