import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliverRecords } from '../../../../infra/local/firehose/deliver-records.ts';
import { createErrorOutput } from '../../../../infra/local/firehose/error-output.ts';
import { type EventRow, toJsonLine } from '../../../../shared/analytics/events/event-row.ts';
import { sessionKey } from '../../../../shared/analytics/events/session-key.ts';
import type { DeadLetterStore } from '../../../../shared/analytics/ingest/ports.ts';
import type { ReceivedRecord } from '../../../../shared/analytics/ingest/stream-records.ts';
import { DAY_MS, MAY_31 } from '../../../support/analytics/analytics.ts';
import { aRecord } from '../../../support/analytics/events.ts';
import { aStoredEvent } from '../../../support/analytics/lake.ts';

const lines = (events: readonly EventRow[]) =>
  events.map((event) => toJsonLine(sessionKey(event.funnel_id, event.session_id), event)).join('');

function setUp() {
  const files: { date: string; ids: string[] }[] = [];
  const errors: { record: ReceivedRecord; reason: string }[] = [];
  const deadLetters: DeadLetterStore = { put: async (record, reason) => void errors.push({ record, reason }) };
  const events = {
    write: async (date: string, rows: readonly EventRow[]) => {
      files.push({ date, ids: rows.map(({ event_id }) => event_id) });
      return `events/${date}`;
    },
  };
  return { files, errors, ports: { events, errors: deadLetters } };
}

test('a delivery writes one file for each date on which its events arrived, regardless of the times of the events', async () => {
  const { files, errors, ports } = setUp();
  const late = aStoredEvent({ received_ms: MAY_31 - 1, time_ms: MAY_31 + 5 });
  const early = aStoredEvent({ received_ms: MAY_31, time_ms: MAY_31 - 20 * DAY_MS });
  const kept = await deliverRecords(ports, [aRecord(lines([early, late]), 1), aRecord(lines([early]), 2)]);
  expect(files).toEqual([
    { date: '2026-05-31', ids: [early.event_id, early.event_id] },
    { date: '2026-05-30', ids: [late.event_id] },
  ]);
  expect(kept).toEqual({ events: 3, unreadable: [] });
  expect(errors).toEqual([]);
});

const good = aStoredEvent();
test.each([
  ['is not UTF-8 text', Buffer.from([0xff, 0xfe, 0x00])],
  ['is cut off', lines([good]).slice(0, -20)],
  ['is a JSON array', `[${lines([good]).trim()}]\n`],
  ['lacks a column', `${JSON.stringify({ ...good, payload: undefined })}\n`],
  ['has a number instead of a text', `${JSON.stringify({ ...good, kind: 7 })}\n`],
  ['has a time beyond the year 9999', `${JSON.stringify({ ...good, time_ms: 1e15 })}\n`],
  ['has a step beyond 32 bits', `${JSON.stringify({ ...good, step_index: 2 ** 31 })}\n`],
  ['has one bad line among good ones', `${lines([good])}{}\n${lines([good])}`],
  ['is empty', ''],
])(
  'a record that %s is stored unchanged as an error with a reason, and the other records are delivered',
  async (_, data) => {
    const { files, errors, ports } = setUp();
    const poisoned = aRecord(data, 2);
    const kept = await deliverRecords(ports, [aRecord(lines([good]), 1), poisoned, aRecord(lines([good]), 3)]);
    expect(files).toEqual([{ date: '2026-05-31', ids: [good.event_id, good.event_id] }]);
    expect(errors).toEqual([{ record: poisoned, reason: expect.stringMatching(/^(?:The record|line \d)/) }]);
    expect(errors[0]?.reason).not.toContain(good.event_id);
    expect(kept.unreadable).toEqual([{ sequenceNumber: poisoned.sequenceNumber, reason: errors[0]?.reason }]);
  },
);

test('each record is either written as events or stored as an error, whatever its bytes are', async () => {
  const someLine = fc.oneof(fc.json(), fc.string(), fc.constant(lines([good]).trim()));
  const someData = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(someLine, { maxLength: 4 }).map((of) => Buffer.from(of.map((line) => `${line}\n`).join(''))),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(someData, { maxLength: 6 }), async (datas) => {
      const { files, errors, ports } = setUp();
      const kept = await deliverRecords(ports, datas.map(aRecord));
      const whole = datas.filter((data) => lines([good]).repeat(data.length).startsWith(Buffer.from(data).toString()));
      const readable = whole.filter((data) => Buffer.from(data).toString().endsWith('}\n'));
      expect(errors).toHaveLength(datas.length - readable.length);
      expect(kept.unreadable).toHaveLength(errors.length);
      expect(files.flatMap(({ ids }) => ids)).toHaveLength(kept.events);
      expect(kept.events).toBeGreaterThanOrEqual(readable.length);
    }),
    { numRuns: 300 },
  );
});

test('the delivery throws if a file or an error output cannot be stored', async () => {
  const { ports } = setUp();
  const full = { write: () => Promise.reject(new Error('no room')) };
  await expect(deliverRecords({ ...ports, events: full }, [aRecord(lines([good]), 1)])).rejects.toThrow('no room');
  const closed = { put: () => Promise.reject(new Error('closed')) };
  await expect(deliverRecords({ ...ports, errors: closed }, [aRecord('x', 1)])).rejects.toThrow('closed');
});

test('an invalid record is stored in Firehose’s format under a stable key, so that a repeated delivery replaces it', async () => {
  const puts: [string, string][] = [];
  const errors = createErrorOutput(
    { put: async (key, bytes) => void puts.push([key, Buffer.from(bytes).toString()]) },
    { now: () => MAY_31 },
  );
  const record = aRecord(Buffer.from([0, 255]), 7);
  await errors.put(record, 'The record does not consist of complete lines of UTF-8 text.');
  await errors.put(record, 'The record does not consist of complete lines of UTF-8 text.');
  const [[key, body] = ['', ''], again] = puts;
  expect(key).toBe(
    `errors/events/format-conversion-failed/2026-05-31/shardId-000000000000-${record.sequenceNumber}.json`,
  );
  expect(again).toEqual([key, body]);
  expect(JSON.parse(body)).toMatchObject({
    attemptsMade: 1,
    arrivalTimestamp: MAY_31,
    lastErrorCode: 'DataFormatConversion.InvalidData',
    lastErrorMessage: 'The record does not consist of complete lines of UTF-8 text.',
    rawData: 'AP8=',
    sequenceNumber: record.sequenceNumber,
  });
});
