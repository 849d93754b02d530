import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { type Question, someMoment, someVisit } from '../../../support/analytics/model-based/arbitraries.ts';
import { expectMatchesOracle } from '../../../support/analytics/model-based/expect-matches-oracle.ts';
import { interceptEffects } from '../../../support/analytics/model-based/intercept-effects.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../support/analytics/model-based/sent-events.ts';
import { createWorld } from '../../../support/analytics/model-based/simulation.ts';
import { memoryPorts, storesOver, upkeep } from '../../../support/analytics/model-based/system-under-test.ts';
import { PATIENCE_MS } from '../../../support/analytics/model-based/timeout.ts';

const ALL: Question = {
  range: 'all',
  timezone: 'UTC',
  granularity: 'day',
  filters: {},
  fromQuarters: 0,
  quarters: 1,
  whole: false,
};
/** Jump of the clock between two effects. It is positive if the machine sleeps, negative if the clock is set back. */
const someSleep = fc.constantFrom(MINUTE_MS, 50 * MINUTE_MS, 3 * HOUR_MS, 2 * DAY_MS, -30 * MINUTE_MS, -5 * HOUR_MS);

test(
  'no session is lost or counted twice if concurrent compactions and sweeps pause for hours or days at any step',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        someMoment,
        fc.array(someVisit, { minLength: 1, maxLength: 6 }),
        fc.array(someSleep, { maxLength: 5 }),
        fc.array(fc.constantFrom('minor', 'major', 'sweep'), { minLength: 2, maxLength: 6 }),
        fc.scheduler(),
        async (nowMs, visits, sleeps, works, scheduler) => {
          const stores = (clock: Clock) => storesOver(memoryPorts(clock));
          const world = createWorld(stores, upkeep, nowMs);
          for (const [at, visit] of visits.entries()) {
            await world.act({ do: 'send', funnel: 0, client: 'tablet', visits: [visit] });
            await world.act({ do: 'deliver', back: 0, count: 1, poisonAt: null, crash: null });
            if (at % 2 === 0) await world.act({ do: 'minor', crash: null });
          }
          const scheduledPorts = interceptEffects(world.stores.ports, (effect) =>
            scheduler.schedule(Promise.resolve()).then(effect),
          );
          const sleepAll = async () => {
            for (const ms of sleeps) {
              await scheduler.schedule(Promise.resolve());
              world.clock.ms += ms;
            }
          };
          const running = works.map((work) => upkeep[work]({ ...scheduledPorts, clock: world.clock }));
          await scheduler.waitFor(Promise.all([...running, sleepAll()]));
          world.clock.ms += 3 * DAY_MS;
          for (const work of ['minor', 'major', 'sweep', 'sweep'] as const) {
            await world.act({ do: work, crash: null });
            world.clock.ms += 2 * HOUR_MS;
          }
          const [[reader], [funnelId = '']] = [world.stores.readers(), world.funnels];
          if (reader === undefined) return expect.unreachable();
          await expectMatchesOracle(world, reader, funnelId, ALL);
          expect(await world.stores.ports.fresh.read(funnelId)).toEqual([]);
        },
      ),
      { numRuns: 1_000 },
    );
  },
  PATIENCE_MS,
);
