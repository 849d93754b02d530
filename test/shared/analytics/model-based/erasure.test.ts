import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eraseSessions } from '../../../../infra/cli/analytics/erasure/erase-sessions.ts';
import type { FreshFactRepository, TombstoneRepository } from '../../../../shared/analytics/facts/ports.ts';
import {
  createMemoryRawEventStore,
  createMemoryTombstones,
  withoutErased,
} from '../../../support/analytics/memory-stores.ts';
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
import { createWorld } from '../../../support/analytics/model-based/simulation.ts';
import { memoryPorts, storesOver, upkeep } from '../../../support/analytics/model-based/system-under-test.ts';
import { PATIENCE_MS } from '../../../support/analytics/model-based/timeout.ts';
import { withUncontendedLease } from '../../../support/platform/lease.ts';
import { createMemoryObjectStore } from '../../../support/platform/memory-object-store.ts';

function erasableWorld(nowMs: number) {
  let kept: { fresh: FreshFactRepository; tombstones: TombstoneRepository } | undefined;
  const world = createWorld(
    (clock) => {
      const ports = memoryPorts(clock);
      kept = { fresh: ports.fresh, tombstones: createMemoryTombstones(ports.fresh) };
      return storesOver({ ...ports, fresh: withoutErased(ports.fresh, kept.tombstones) });
    },
    upkeep,
    nowMs,
  );
  return { world, ...(kept ?? expect.unreachable()) };
}

/** Erases a session of the first funnel. If the process crashes, a second process completes the erasure. */
async function eraseSession(
  { world, fresh, tombstones }: ReturnType<typeof erasableWorld>,
  id: string,
  crash: Crash | null,
) {
  const { manifests, factReader, writer } = world.stores.ports;
  const others = {
    deadLetters: createMemoryObjectStore(),
    lake: createMemoryObjectStore(),
    raw: createMemoryRawEventStore(),
    withLease: withUncontendedLease,
  };
  const unlisted = {
    objects: createMemoryObjectStore(),
    oldVersions: { remove: async () => 0 },
    containsAnySession: async () => false,
  };
  const crashing = interceptEffects(
    { fresh, manifests, factReader, writer },
    crashAtEffect(crash, async () => undefined),
  );
  const facts = { tombstones, ...unlisted, clock: world.clock };
  const [funnelId = ''] = world.funnels;
  const request = { sessionIds: [id] };
  await eraseSessions({ ...others, tombstones, facts: { ...facts, ...crashing } }, funnelId, request).catch(
    ignoreCrash,
  );
  if (crash !== null)
    await eraseSessions(
      { ...others, tombstones, facts: { ...facts, fresh, manifests, factReader, writer } },
      funnelId,
      request,
    );
  world.forget(funnelId, id);
}

test(
  'reads count all sessions except erased sessions, even if events of erased sessions arrive later',
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
            for (const funnelId of world.funnels) await expectMatchesOracle(world, reader, funnelId, question);
        }
      }),
      { numRuns: 1_000 },
    );
  },
  PATIENCE_MS,
);
