import fc from 'fast-check';
import { expect, test } from 'vitest';
import { consumeRecords } from '../../../../shared/analytics/ingest/consume-records.ts';
import { asNewProcess } from '../../../support/analytics/analytics.ts';
import {
  askedAt,
  someMoment,
  someQuestion,
  someVisit,
  type Visit,
} from '../../../support/analytics/model-based/arbitraries.ts';
import { expectOneOf, oracleAll } from '../../../support/analytics/model-based/expect-matches-oracle.ts';
import { oracleSessions } from '../../../support/analytics/model-based/oracle-sessions.ts';
import { type Client, DAY_MS, HOUR_MS, MINUTE_MS } from '../../../support/analytics/model-based/sent-events.ts';
import { createWorld } from '../../../support/analytics/model-based/simulation.ts';
import { memoryStores, readAll, upkeep } from '../../../support/analytics/model-based/system-under-test.ts';
import { PATIENCE_MS } from '../../../support/analytics/model-based/timeout.ts';

const deadLetters = { put: async () => expect.unreachable('All records of this test can be read.') };

const permutations = <T>(of: readonly T[]): T[][] =>
  of.length === 0
    ? [[]]
    : of.flatMap((first, at) => permutations(of.toSpliced(at, 1)).map((others) => [first, ...others]));

type Sent = { client: Client; visit: Visit; laterMs: number };

/** Many events have the same session and time, so that their order depends on their other values. */
const someSent: fc.Arbitrary<Sent> = fc.record({
  client: fc.constantFrom<Client[]>('phone', 'desktop', 'crawler'),
  visit: fc.tuple(someVisit, fc.constantFrom('s1', 's1', 's1', 's2'), fc.boolean()).map(([visit, sessionId, tied]) => ({
    ...visit,
    ...(tied && { agoMs: HOUR_MS }),
    event: { ...visit.event, sessionId },
  })),
  laterMs: fc.constantFrom(0, 0, 0, 0, 0, 1, 61_000, 31 * DAY_MS, -10 * MINUTE_MS),
});

/** The test runs all orders. Five events have 120 orders, so only one case in ten has five events, to save time. */
const someFew = fc.oneof(
  { weight: 9, arbitrary: fc.array(someSent, { minLength: 1, maxLength: 4, size: 'max' }) },
  { weight: 1, arbitrary: fc.array(someSent, { minLength: 5, maxLength: 5 }) },
);

/** A stream with a record for each of these events. */
async function streamOf(sent: readonly Sent[], nowMs: number) {
  const { clock, act, stream, funnels } = createWorld(memoryStores, upkeep, nowMs);
  for (const { client, visit, laterMs } of sent) {
    clock.ms += laterMs;
    await act({ do: 'send', funnel: 0, client, visits: [visit] });
  }
  const [funnelId = ''] = funnels;
  return { stream, funnelId, nowMs: clock.ms };
}

test(
  'reads return the same for any order in which events arrive, and any compactions between the arrivals',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        someMoment,
        someFew,
        someQuestion,
        fc.array(fc.constantFrom('nothing', 'minor', 'major'), { minLength: 5, maxLength: 5 }),
        async (startMs, sent, question, upkeepAfter) => {
          const { stream, funnelId, nowMs } = await streamOf(sent, startMs);
          const query = askedAt(question, nowMs);
          const sessions = await oracleSessions(stream.flatMap(({ arrived }) => arrived));
          const expected = oracleAll(query, sessions, nowMs);
          for (const order of permutations(stream)) {
            const { ports } = memoryStores({ now: () => nowMs });
            for (const [at, { record }] of order.entries()) {
              await consumeRecords({ fresh: ports.fresh, deadLetters }, [record]);
              const due = upkeepAfter[at];
              if (due === 'minor' || due === 'major') await upkeep[due]({ ...ports, clock: { now: () => nowMs } });
            }
            expectOneOf(await readAll(asNewProcess(ports), funnelId, query, nowMs), [expected]);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  },
  PATIENCE_MS,
);
