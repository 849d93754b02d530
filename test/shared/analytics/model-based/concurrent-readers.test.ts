import fc from 'fast-check';
import { expect, test } from 'vitest';
import { consumeRecords } from '../../../../shared/analytics/ingest/consume-records.ts';
import type { SnapshotPorts } from '../../../../shared/analytics/queries/snapshot.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { askedAt, someMoment, someQuestion, someVisit } from '../../../support/analytics/model-based/arbitraries.ts';
import { expectOneOf, oracleAll } from '../../../support/analytics/model-based/expect-matches-oracle.ts';
import { type EffectInterceptor, interceptEffects } from '../../../support/analytics/model-based/intercept-effects.ts';
import { oracleSessions } from '../../../support/analytics/model-based/oracle-sessions.ts';
import type { Arrived } from '../../../support/analytics/model-based/sent-events.ts';
import { createWorld } from '../../../support/analytics/model-based/simulation.ts';
import { memoryPorts, readAll, storesOver, upkeep } from '../../../support/analytics/model-based/system-under-test.ts';
import { PATIENCE_MS } from '../../../support/analytics/model-based/timeout.ts';

const deadLetters = { put: async () => expect.unreachable('All records of this test can be read.') };

/** Stores in which every effect, and every page of fresh facts, waits for the scheduler. */
const scheduledStores = (scheduler: fc.Scheduler) => (clock: Clock) => {
  const waitForScheduler: EffectInterceptor = (effect) => scheduler.schedule(Promise.resolve()).then(effect);
  const ports = memoryPorts(clock, waitForScheduler);
  const scheduled = interceptEffects(ports, waitForScheduler);
  // These methods already wait for the scheduler before each page, so they are not wrapped a second time.
  const { read, readBatch } = ports.fresh;
  return storesOver({ ...scheduled, fresh: { ...methodsOf(scheduled.fresh, ports.fresh), read, readBatch } });
};

const methodsOf = <P extends object>(wrapped: P, plain: P): P =>
  Object.fromEntries(Object.keys(plain).map((name) => [name, Reflect.get(wrapped, name)])) as P;

test(
  'concurrently with deliveries, compactions and sweeps, each read returns a state from the time of the read',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        someMoment,
        fc.array(someVisit, { minLength: 1, maxLength: 5 }),
        fc.nat(3),
        fc.array(someQuestion, { minLength: 1, maxLength: 2 }),
        fc.scheduler(),
        async (nowMs, visits, before, questions, scheduler) => {
          const world = createWorld(scheduledStores(scheduler), upkeep, nowMs);
          const { stores } = world;
          const [funnelId = ''] = world.funnels;
          for (const visit of visits) await world.act({ do: 'send', funnel: 0, client: 'phone', visits: [visit] });
          const durable: Arrived[][] = [];
          const deliver = async ({ record, arrived }: (typeof world.stream)[number]) => {
            const add: typeof stores.ports.fresh.add = async (...given) => {
              await stores.ports.fresh.add(...given);
              durable.push(arrived);
            };
            await consumeRecords({ fresh: { add }, deadLetters }, [record]);
          };
          const read = async (question: (typeof questions)[number], reader: SnapshotPorts) => {
            const query = askedAt(question, nowMs);
            const from = durable.length;
            const result = await readAll(reader, funnelId, query, nowMs);
            return { query, result, from, to: durable.length };
          };
          const clock = { now: () => nowMs };
          const deliverAll = async (records: typeof world.stream) => {
            for (const record of records) await deliver(record);
          };
          await scheduler.waitFor(deliverAll(world.stream.slice(0, before)));
          await scheduler.waitFor(upkeep.minor({ ...stores.ports, clock }));
          const compacted = async () => {
            await upkeep.minor({ ...stores.ports, clock });
            await upkeep.major({ ...stores.ports, clock });
            await upkeep.sweep({ ...stores.ports, clock });
          };
          const work = [deliverAll(world.stream.slice(before)), compacted(), compacted()];
          const reads = stores.readers().flatMap((reader) => questions.map((question) => read(question, reader)));
          await scheduler.waitFor(Promise.all([...work, ...reads]));
          const states = await Promise.all(
            [...durable.keys(), durable.length].map((until) => oracleSessions(durable.slice(0, until).flat())),
          );
          const afterwards = stores.readers().flatMap((reader) => questions.map((question) => read(question, reader)));
          await scheduler.waitFor(Promise.all(afterwards));
          for (const { query, result, from, to } of await Promise.all([...reads, ...afterwards]))
            expectOneOf(
              result,
              states.slice(from, to + 1).map((sessions) => oracleAll(query, sessions, nowMs)),
            );
        },
      ),
      { numRuns: 1_000 },
    );
  },
  PATIENCE_MS,
);
