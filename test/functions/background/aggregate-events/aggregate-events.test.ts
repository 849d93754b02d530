import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { createHandler } from '../../../../functions/background/aggregate-events/handler.ts';
import { encodeFacts } from '../../../../shared/analytics/facts/fact-codec.ts';
import type { ReceivedRecord } from '../../../../shared/analytics/ingest/stream-records.ts';
import { createMemoryFreshFacts } from '../../../support/analytics/analytics.ts';
import { anEvent, aRecord, aStreamEvent, setUpIngest } from '../../../support/analytics/events.ts';

type Logged = { level: string; message: string; fields: unknown };

/** Writes of facts for `broken.funnelIds` throw. Writes of dead letters throw if `broken.deadLetters` is true. */
function setUp(broken: { funnelIds?: string[]; deadLetters?: boolean } = {}) {
  const fresh = createMemoryFreshFacts();
  const deadLetters: { record: ReceivedRecord; reason: string }[] = [];
  const logged: Logged[] = [];
  const counted: string[] = [];
  const sources: unknown[] = [];
  const handler = createHandler({
    fresh: {
      add: async (funnelId, source, facts) => {
        if (broken.funnelIds?.includes(funnelId)) throw new Error('The table is not there.');
        // The facts must fit into an item. Otherwise, Lambda would retry the batch without end.
        expect(encodeFacts(facts).length).toBeLessThan(100_000);
        sources.push(source);
        return fresh.add(funnelId, source, facts);
      },
    },
    deadLetters: {
      put: async (record, reason) => {
        if (broken.deadLetters) throw new Error('The bucket is not there.');
        deadLetters.push({ record, reason });
      },
    },
    log: {
      info: (message, fields) => void logged.push({ level: 'info', message, fields }),
      warn: (message, fields) => void logged.push({ level: 'warn', message, fields }),
      error: (message, _, fields) => void logged.push({ level: 'error', message, fields }),
      recordMetric: (metric) => void counted.push(metric),
    },
  });
  const deliver = (...records: ReceivedRecord[]) => handler(aStreamEvent(records));
  return { deliver, fresh, deadLetters, logged, counted, sources };
}

const [one, other] = [setUpIngest(), setUpIngest()];
beforeEach(() => {
  one.records.length = 0;
  other.records.length = 0;
});

/** Returns a record as ingest-analytics writes it. */
async function aGoodRecord(number: number, from = one): Promise<ReceivedRecord> {
  await from.send(anEvent({ sessionId: `session-${number}` }));
  return aRecord(from.records.at(-1) ?? '', number);
}

const sessions = async (fresh: ReturnType<typeof createMemoryFreshFacts>, funnelId: string) =>
  (await fresh.read(funnelId)).flatMap(({ facts }) => facts).length;

test('the facts of a batch are stored with its first and last sequence number, and no failure is reported', async () => {
  const { deliver, fresh, deadLetters, sources } = setUp();
  const records = [await aGoodRecord(1), await aGoodRecord(2), await aGoodRecord(3)];
  expect(await deliver(...records)).toEqual({ batchItemFailures: [] });
  expect(await sessions(fresh, one.funnel.id)).toBe(3);
  expect(sources).toEqual([{ first: records[0]?.sequenceNumber, last: records[2]?.sequenceNumber }]);
  expect(deadLetters).toEqual([]);
});

test('for an empty batch, nothing is stored and no failure is reported', async () => {
  const { deliver, sources } = setUp();
  expect(await deliver()).toEqual({ batchItemFailures: [] });
  expect(sources).toEqual([]);
});

test('an unreadable record becomes a dead letter with its bytes and reason, and the other records are stored', async () => {
  const { deliver, fresh, deadLetters, counted, logged } = setUp();
  const bad = aRecord('{"funnel_id":7}\n', 2);
  const response = await deliver(await aGoodRecord(1), bad, await aGoodRecord(3));
  expect(response).toEqual({ batchItemFailures: [] });
  expect(await sessions(fresh, one.funnel.id)).toBe(2);
  expect(deadLetters).toEqual([{ record: bad, reason: expect.stringMatching(/^line 1\.funnel_id must be string/) }]);
  expect(counted).toEqual(['DeadLettersStored']);
  expect(logged).toMatchObject([{ level: 'warn', fields: { sequenceNumber: bad.sequenceNumber, requestId: 'any' } }]);
});

test.each([
  ['funnel_id', 'x'.repeat(3_000)],
  ['time_ms', 2 ** 53 - 1],
  ['client_time_ms', -1],
  ['step_index', 2 ** 40],
  ['utm_term', 'x'.repeat(500_000)],
])('if the column %s of a row is out of range, the record becomes a dead letter', async (column, value) => {
  const { deliver, deadLetters } = setUp();
  const row = { ...JSON.parse(Buffer.from((await aGoodRecord(1)).data).toString()), [column]: value };
  expect(await deliver(aRecord(`${JSON.stringify(row)}\n`, 1))).toEqual({ batchItemFailures: [] });
  expect(deadLetters[0]?.reason).toMatch(new RegExp(`^line 1.${column} `));
});

test('a record with one bad line becomes a dead letter, and none of its lines is counted', async () => {
  const { deliver, fresh, deadLetters } = setUp();
  const good = await aGoodRecord(1);
  const bad = aRecord(Buffer.concat([good.data, Buffer.from('{"half": \n')]), 2);
  await deliver(bad);
  expect(await sessions(fresh, one.funnel.id)).toBe(0);
  expect(deadLetters[0]?.reason).toMatch(/^line 2 /);
});

test.each([
  ['no bytes', ''],
  ['no line end', '{}'],
  ['a line that is not JSON', 'hello\n'],
  ['a list', '[]\n'],
  ['an empty line', '\n'],
  ['compressed bytes', encodeFacts([])],
  ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 10])],
])('a record with %s becomes a dead letter', async (_, data) => {
  const { deliver, deadLetters } = setUp();
  expect(await deliver(aRecord(data, 1))).toEqual({ batchItemFailures: [] });
  expect(deadLetters).toHaveLength(1);
});

test('the reason of a dead letter contains no value of the record', async () => {
  const { deliver, deadLetters } = setUp();
  const good = Buffer.from((await aGoodRecord(1)).data).toString();
  await deliver(aRecord(good.replace('"kind":"view"', '"kind":{"secret":"jane@example.com"}'), 1));
  expect(deadLetters[0]?.reason).not.toContain('jane');
});

test('the first record whose facts cannot be stored is reported as failed; facts of other funnels are stored', async () => {
  const { deliver, fresh, logged } = setUp({ funnelIds: [other.funnel.id] });
  const failing = await aGoodRecord(2, other);
  const response = await deliver(await aGoodRecord(1), failing, await aGoodRecord(3), await aGoodRecord(4, other));
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: failing.sequenceNumber }] });
  expect(await sessions(fresh, one.funnel.id)).toBe(2);
  expect(logged.filter(({ level }) => level === 'error')).toHaveLength(2);
});

test('the first record that cannot be stored as a dead letter is reported as failed', async () => {
  const { deliver, fresh } = setUp({ deadLetters: true });
  const bad = aRecord('nonsense', 2);
  const response = await deliver(await aGoodRecord(1), bad, await aGoodRecord(3));
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: bad.sequenceNumber }] });
  expect(await sessions(fresh, one.funnel.id)).toBe(2);
});

test('rows with additional columns, which a later version wrote, are read', async () => {
  const { deliver, fresh, deadLetters } = setUp();
  const line = Buffer.from((await aGoodRecord(1)).data).toString();
  await deliver(aRecord(line.replace('{', '{"column_of_tomorrow":[1],'), 1));
  expect(deadLetters).toEqual([]);
  expect(await sessions(fresh, one.funnel.id)).toBe(1);
});

test('no failure is reported for any bytes on the stream, and the valid record of the same batch is stored', async () => {
  const good = await aGoodRecord(1);
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 100 }),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(`${text}\n`)),
    fc.json().map((json) => Buffer.from(`${json}\n`)),
    fc
      .record(
        { time_ms: fc.maxSafeInteger(), client_time_ms: fc.maxSafeInteger(), step_index: fc.maxSafeInteger() },
        { requiredKeys: [] },
      )
      .map((values) =>
        Buffer.from(`${JSON.stringify({ ...JSON.parse(Buffer.from(good.data).toString()), ...values })}\n`),
      ),
    fc.nat(good.data.length - 1).map((length) => good.data.slice(0, length)),
    fc.tuple(fc.nat(good.data.length - 1), fc.nat(255)).map(([at, byte]) => {
      const changed = Buffer.from(good.data);
      changed[at] = byte;
      return changed;
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyBytes, { maxLength: 4 }), async (data) => {
      const { deliver, fresh } = setUp();
      const response = await deliver(...data.map((bytes, at) => aRecord(bytes, at + 10)), good);
      expect(response).toEqual({ batchItemFailures: [] });
      expect(await sessions(fresh, one.funnel.id)).toBeGreaterThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
});
