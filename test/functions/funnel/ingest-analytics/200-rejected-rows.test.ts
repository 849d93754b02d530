import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { anEvent, at, DAY_MS, NOW, nested, payloadOf, setUpIngest } from '../../../support/analytics/events.ts';

describe('200: ingest-analytics', () => {
  test.each([
    ['eventId', { eventId: undefined }],
    ['eventId', { eventId: 'x' }],
    ['eventId', { eventId: 7 }],
    ['sessionId', { sessionId: undefined }],
    ['sessionId', { sessionId: '' }],
    ['sessionId', { sessionId: '\0' }],
    ['sessionId', { sessionId: '\ufeff' }],
    ['sessionId', { sessionId: 'x'.repeat(129) }],
    ['sessionId', { sessionId: '😀'.repeat(129) }],
    ['timestamp', { timestamp: undefined }],
    ['timestamp', { timestamp: NOW }],
    ['timestamp', { timestamp: '2026-03-01' }],
    ['timestamp', { timestamp: '2026-03-01T12:00:00' }],
    ['timestamp', { timestamp: '2026-02-30T12:00:00Z' }],
    ['timestamp', { timestamp: at(NOW - 30 * DAY_MS - 1) }],
    ['timestamp', { timestamp: '9999-12-31T23:59:59-12:00' }],
    ['funnelId', { funnelId: randomUUID() }],
    ['funnelId', { funnelId: 'x' }],
    ['pageUrl', { pageUrl: 'x'.repeat(2049) }],
    ['referrer', { referrer: '😀'.repeat(2049) }],
    ['language', { language: 1 }],
    ['payload', { payload: 'view' }],
    ['payload', { payload: [] }],
    ['payload', { payload: payloadOf(16 * 1024 + 1) }],
    ['payload', { payload: { x: 'ü'.repeat(8_190) } }],
    ['payload', { payload: nested(17) }],
    ['stepId', { stepId: {} }],
    ['stepIndex', { stepIndex: 1.5 }],
    ['stepIndex', { stepIndex: '1' }],
    ['stepIndex', { stepIndex: 2 ** 31 }],
    ['utmContent', { utmContent: 'x'.repeat(256) }],
    ['version', { version: 1e300 }],
  ])('names the property %s of an invalid row, and stores the other rows', async (field, values) => {
    const { send, rows } = setUpIngest();
    const [before, after] = [anEvent(), anEvent()];
    const response = await send(before, anEvent(values), after);
    expect(response).toMatchObject({
      status: 200,
      body: { received: 2, rejected: [{ index: 1, code: 'validation_failed', message: expect.any(String) }] },
    });
    const { rejected } = response.body as { rejected: { message: string }[] };
    expect(rejected[0]?.message.split(' ')[0]).toBe(`events[1].${field}`);
    expect(rows().map(({ event_id }) => event_id)).toEqual([before.eventId, after.eventId]);
  });

  test('rejects an event of more than 32 KB, and also counts the bytes of ignored properties', async () => {
    const { send, rows } = setUpIngest();
    const { body } = await send(anEvent({ extra: 'x'.repeat(32 * 1024) }), anEvent({ extra: 'x'.repeat(32_000) }));
    expect(body).toMatchObject({
      received: 1,
      rejected: [{ index: 0, message: 'events[0] must have at most 32768 bytes.' }],
    });
    expect(rows()).toHaveLength(1);
  });

  test.each([null, 1, 'x', [], true])('rejects a row that is not an object: %j', async (row) => {
    const { send } = setUpIngest();
    expect((await send(row, anEvent())).body).toMatchObject({ received: 1, rejected: [{ index: 0 }] });
  });

  test('puts nothing on the stream if every row is invalid', async () => {
    const { send, records } = setUpIngest();
    expect((await send({}, {})).body).toMatchObject({ received: 0, rejected: [{ index: 0 }, { index: 1 }] });
    expect(records).toEqual([]);
  });
});
