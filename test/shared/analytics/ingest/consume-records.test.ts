import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sessionKey } from '../../../../shared/analytics/events/session-key.ts';
import { type Fact, mergeFactsBySession } from '../../../../shared/analytics/facts/fact.ts';
import { consumeRecords } from '../../../../shared/analytics/ingest/consume-records.ts';
import { splitIntoRecords } from '../../../../shared/analytics/ingest/stream-records.ts';
import { createMemoryFreshFacts } from '../../../support/analytics/analytics.ts';
import { anEvent, aRecord, CRAWLER, linesOf, NOW, PHONE, setUpIngest } from '../../../support/analytics/events.ts';

const MINUTE_MS = 60_000;

/** Events with few different session ids and times, so that many events share them. */
const someEvent = fc.record({
  sessionId: fc.constantFrom('s1', 's2', 'sé😀'),
  timestamp: fc
    .constantFrom(-29 * 1440, -1, 0, 1, 4, 10, 1440)
    .map((minutes) => new Date(NOW + minutes * MINUTE_MS).toISOString()),
  stepIndex: fc.constantFrom(undefined, null, 0, 1, 3),
  referrer: fc.constantFrom(undefined, 'https://www.search.example/q', 'https://news.example'),
  utmSource: fc.constantFrom(undefined, '', '😀', '！'),
  payload: fc.constantFrom(
    {},
    { type: 'view' },
    { event: 'funnel_start' },
    { name: 'step_submit' },
    { type: 'complete' },
  ),
});
const someEvents = fc.array(someEvent, { minLength: 1, maxLength: 12 });

/** The merged facts after the records were delivered in these batches. */
async function mergedFacts(funnelId: string, batches: readonly (readonly Uint8Array[])[]): Promise<Map<bigint, Fact>> {
  const fresh = createMemoryFreshFacts();
  let number = 0;
  for (const batch of batches) {
    const records = batch.map((data) => aRecord(data, ++number));
    const outcomes = await consumeRecords({ fresh, deadLetters: neverNeeded }, records);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(batch.map(() => 'applied'));
  }
  return mergeFactsBySession((await fresh.read(funnelId)).flatMap(({ facts }) => facts));
}

const neverNeeded = { put: async () => expect.unreachable('All records of this test can be read.') };

/** Splits a list at random positions. */
const batchesOf = <T>(items: readonly T[]) =>
  fc.array(fc.nat(items.length), { maxLength: 4 }).map((cuts) => {
    const bounds = [0, ...cuts.toSorted((a, b) => a - b), items.length];
    return bounds.slice(1).map((end, at) => items.slice(bounds[at], end));
  });

test('duplicates, redelivery in other batches, any order and any split of records never change a fact', async () => {
  const { funnel, send, records } = setUpIngest();
  await fc.assert(
    fc.asyncProperty(someEvents, fc.infiniteStream(fc.nat()), async (sentEvents, random) => {
      const pick = (max: number) => (random.next().value ?? 0) % max;
      records.length = 0;
      expect(await send(...sentEvents.map(anEvent))).toMatchObject({
        status: 200,
        body: { received: sentEvents.length },
      });
      const inOneGo = await mergedFacts(funnel.id, [records]);

      const lines = linesOf(records);
      const again = [...lines, ...lines].sort(() => pick(3) - 1);
      const pieces = splitIntoRecords(
        again.map((line) => `${line}\n`),
        1 + pick(4_000),
      );
      const [batches = []] = fc.sample(batchesOf([...pieces, ...records]), { numRuns: 1, seed: pick(1_000_000) });
      expect(await mergedFacts(funnel.id, batches)).toEqual(inOneGo);
    }),
    { numRuns: 150 },
  );
});

test('for any events, the facts have the expected first time, start and completion', async () => {
  const { funnel, send, records } = setUpIngest();
  await fc.assert(
    fc.asyncProperty(someEvents, async (sentEvents) => {
      records.length = 0;
      await send(...sentEvents.map(anEvent));
      const facts = await mergedFacts(funnel.id, [records]);
      const sessions = Map.groupBy(sentEvents, ({ sessionId }) => sessionId);
      expect(facts.size).toBe(sessions.size);
      for (const [sessionId, of] of sessions) {
        const kinds = of.map(({ payload }) => Object.values(payload).join());
        const times = of.map(({ timestamp }) => Date.parse(timestamp));
        const completed = kinds.includes('complete');
        const submitted = kinds.some((kind) => ['funnel_start', 'step_submit'].includes(kind));
        expect(facts.get(sessionKey(funnel.id, sessionId))).toMatchObject({
          firstTimeMs: Math.min(...times.map((ms) => (ms > NOW + 5 * MINUTE_MS ? NOW : ms))),
          started: completed || submitted || of.some(({ stepIndex }) => (stepIndex ?? 0) >= 1),
          completed,
          deviceType: 'mobile',
        });
      }
    }),
    { numRuns: 150 },
  );
});

test('a session key is the first 8 bytes of SHA-256(funnel id, 0, session id), read as an int64', () => {
  // The first 8 bytes of: printf '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59\0session-1' | sha256sum
  expect(sessionKey('3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59', 'session-1')).toBe(BigInt.asIntN(64, 0x99c4768a3718ee1fn));
});

test('an event of a bot creates no fact, and an event of a person creates a fact', async () => {
  const { funnel, send, post, records } = setUpIngest();
  await post({ events: [anEvent({ sessionId: 'crawled' })] }, { 'user-agent': CRAWLER });
  await send(anEvent({ sessionId: 'visited' }));
  expect([...(await mergedFacts(funnel.id, [records])).keys()]).toEqual([sessionKey(funnel.id, 'visited')]);
});

test('a batch with records of several funnels creates separate facts for each funnel', async () => {
  const [one, other] = [setUpIngest(), setUpIngest()];
  await one.send(anEvent());
  await other.post({ events: [anEvent({ payload: { type: 'complete' } })] }, { 'user-agent': PHONE });
  const batch = [[...one.records, ...other.records]];
  expect([...(await mergedFacts(one.funnel.id, batch)).values()]).toMatchObject([{ completed: false }]);
  expect([...(await mergedFacts(other.funnel.id, batch)).values()]).toMatchObject([{ completed: true }]);
});

test('splitIntoRecords keeps lines whole and in order; a line above the size limit becomes a record of its own', () => {
  const line = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .map((text) => `${text.replaceAll('\n', '')}\n`);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 400, max: 600 }), (lines, bytesMax) => {
      const records = splitIntoRecords(lines, bytesMax);
      expect(Buffer.concat(records).toString()).toBe(lines.join(''));
      for (const record of records) {
        expect(record.length).toBeLessThanOrEqual(bytesMax);
        expect(record.at(-1)).toBe(10);
      }
    }),
  );
  expect(splitIntoRecords(['a\n', 'b\n'])).toHaveLength(1);
  expect(splitIntoRecords([])).toEqual([]);
  expect(splitIntoRecords([`${randomUUID()}\n`], 1)).toHaveLength(1);
});
