import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Question } from '../../../support/analytics/model-based/arbitraries.ts';
import { expectMatchesOracle } from '../../../support/analytics/model-based/expect-matches-oracle.ts';
import { createWorld } from '../../../support/analytics/model-based/simulation.ts';
import { readAll, roomyStores, upkeep } from '../../../support/analytics/model-based/system-under-test.ts';
import { PATIENCE_MS } from '../../../support/analytics/model-based/timeout.ts';

const NOW = Date.parse('2026-05-31T12:00:00Z');
const ALL: Question = {
  range: 'all',
  timezone: 'Pacific/Chatham',
  granularity: 'day',
  filters: {},
  fromQuarters: 0,
  quarters: 1,
  whole: false,
};
const EVENTS_A_SEND = 50;

/** Many values have equal numbers of sessions. The order of their bytes then decides which value is the hundredth. */
const someMark = fc
  .tuple(fc.constantFrom('', 'a', 'Z', 'é', '！', '😀'), fc.nat(40))
  .map(([letter, number]) => `${letter}${number}`);
const someVisitor = fc.record({ mark: someMark, host: fc.nat(130), minutesAgo: fc.integer({ min: 1, max: 90 }) });
const someCrowd = fc.array(someVisitor, { minLength: 50, maxLength: 100 });
type Visitor = { mark: string; host: number; minutesAgo: number };

test(
  'after compactions and more events, reads list the hundred values with the most sessions, with ties in UTF-8 order',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        someCrowd,
        someCrowd,
        fc.subarray(['minor', 'major', 'minor'] as const),
        async (early, late, runs) => {
          const world = createWorld(roomyStores, upkeep, NOW);
          const [funnelId = ''] = world.funnels;
          await arrive(world, early, 'early');
          for (const run of runs) await world.act({ do: run, crash: null });
          await arrive(world, late, 'late');
          // Some of the early sessions get an earlier first event with other values.
          await arrive(
            world,
            late.slice(0, 20).map((visitor) => ({ ...visitor, minutesAgo: 95 })),
            'early',
          );
          const [reader] = world.stores.readers();
          if (reader !== undefined) await expectMatchesOracle(world, reader, funnelId, ALL);
        },
      ),
      { numRuns: 200 },
    );
  },
  PATIENCE_MS,
);

async function arrive(world: ReturnType<typeof createWorld>, crowd: readonly Visitor[], name: string): Promise<void> {
  for (let at = 0; at < crowd.length; at += EVENTS_A_SEND) {
    const visits = crowd.slice(at, at + EVENTS_A_SEND).map(({ mark, host, minutesAgo }, index) => ({
      agoMs: minutesAgo * 60_000,
      offset: 'Z',
      event: {
        eventId: randomUUID(),
        sessionId: `${name} ${at + index}`,
        utmSource: mark,
        utmCampaign: `${mark}!`,
        referrer: `https://host-${host}.example/`,
      },
    }));
    await world.act({ do: 'send', funnel: 0, client: 'desktop', visits });
  }
  const count = Math.ceil(crowd.length / EVENTS_A_SEND);
  await world.act({ do: 'deliver', back: 0, count, poisonAt: null, crash: null });
}

test('the lists of UTM sources and referrers contain at most a hundred values', async () => {
  const world = createWorld(roomyStores, upkeep, NOW);
  const crowd = Array.from({ length: 130 }, (_, host) => ({ mark: `m${host}`, host, minutesAgo: 5 }));
  await arrive(world, crowd, 'visitor');
  const [[reader], [funnelId = '']] = [world.stores.readers(), world.funnels];
  if (reader === undefined) return expect.unreachable();
  const { acquisition } = await readAll(reader, funnelId, { range: 'today', timezone: 'UTC', filters: {} }, NOW);
  expect(acquisition.utmSources).toHaveLength(100);
  expect(acquisition.referrers).toHaveLength(100);
});
