import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EventRow } from '../../../../shared/analytics/events/event-row.ts';
import { sessionKey } from '../../../../shared/analytics/events/session-key.ts';
import {
  anEvent,
  at,
  CRAWLER,
  DAY_MS,
  linesOf,
  NOW,
  nested,
  payloadOf,
  setUpIngest,
  times,
} from '../../../support/analytics/events.ts';

describe('200: ingest-analytics', () => {
  test('before the response, puts a batch on the stream with one line per event, in one record if the lines fit', async () => {
    const { send, records, rows } = setUpIngest();
    const events = times(50, () => anEvent());
    expect(await send(...events)).toMatchObject({ status: 200, body: { received: 50 } });
    expect(records).toHaveLength(1);
    expect(rows().map(({ event_id }) => event_id)).toEqual(events.map(({ eventId }) => eventId));
  });

  test('ignores a misspelled property of an event, and warns in the response', async () => {
    const { send, rows } = setUpIngest();
    const response = await send({ ...anEvent(), utm_source: 'news', other: 1 }, anEvent());
    expect(response).toMatchObject({
      status: 200,
      body: { received: 2 },
      headers: { 'x-warning': 'events[0].utm_source: did you mean utmSource?' },
    });
    expect(rows()[0]).toMatchObject({ utm_source: '' });
  });

  test('the response has no property `rejected` if no row was rejected', async () => {
    const { send } = setUpIngest();
    expect((await send(anEvent())).text).toBe('{"received":1}');
  });

  test('a row has all columns; the first is the session key, as a decimal number with all its digits', async () => {
    const { funnel, send, rows, records } = setUpIngest();
    await send(
      anEvent({
        funnelId: funnel.id.toUpperCase(),
        pageUrl: 'https://www.shop.example/offer',
        referrer: 'https://www.Search.example/q?x=1',
        language: 'de-DE',
        stepId: 'contact',
        stepIndex: 2,
        utmSource: 'news',
        version: 3,
        payload: { type: 'funnel_step_view', 'a"b': ['ü', null] },
      }),
    );
    const [{ session_key, ...row } = {}] = rows();
    expect(row).toEqual({
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: funnel.orgId,
      funnel_id: funnel.id,
      session_id: 'session-1',
      received_ms: NOW,
      time_ms: NOW,
      client_time_ms: NOW,
      kind: 'step_view',
      step_id: 'contact',
      step_index: 2,
      page_url: 'https://www.shop.example/offer',
      referrer_url: 'https://www.Search.example/q?x=1',
      referrer: 'search.example',
      language: 'de-DE',
      utm_source: 'news',
      utm_medium: '',
      utm_campaign: '',
      utm_term: '',
      utm_content: '',
      version: 3,
      device_type: 'mobile',
      browser: 'safari',
      os: 'ios',
      bot: false,
      payload: '{"type":"funnel_step_view","a\\"b":["ü",null]}',
    });
    expect(EventRow.parse(row)).toEqual(row);
    expect(linesOf(records)[0]).toMatch(new RegExp(`^\\{"session_key":${sessionKey(funnel.id, 'session-1')},`));
  });

  test('accepts an event with only the required properties', async () => {
    const { post, rows } = setUpIngest();
    const least = { eventId: randomUUID(), sessionId: 's', timestamp: '2026-03-01T13:00:00+01:00' };
    expect((await post({ events: [least] }, {})).body).toEqual({ received: 1 });
    const [row] = rows();
    expect(row).toMatchObject({ time_ms: NOW, kind: '', step_id: '', step_index: null, version: null, payload: '' });
    expect(row).toMatchObject({
      referrer: 'direct',
      device_type: 'desktop',
      browser: 'other',
      os: 'other',
      bot: false,
    });
    expect(EventRow.safeParse(row).success).toBe(true);
  });

  test('treats null as absent, and ignores unknown properties of events and of the batch', async () => {
    const { post, rows } = setUpIngest();
    const names = [
      'funnelId',
      'pageUrl',
      'referrer',
      'language',
      'payload',
      'stepId',
      'stepIndex',
      'utmSource',
      'version',
    ];
    const event = anEvent({ ...Object.fromEntries(names.map((name) => [name, null])), extra: { deep: [1] } });
    expect((await post({ events: [event], sentAt: 1 })).body).toEqual({ received: 1 });
    expect(rows()[0]).not.toHaveProperty('extra');
    expect(EventRow.safeParse(rows()[0]).success).toBe(true);
  });

  test('accepts JSON with the type text/plain, which beacons have, and allows the origin of the page', async () => {
    const { post } = setUpIngest();
    const origin = 'https://shop.example';
    const response = await post({ events: [anEvent()] }, { 'content-type': 'text/plain;charset=UTF-8', origin });
    expect(response).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' },
    });
  });

  test('accepts duplicates within a batch', async () => {
    const { send } = setUpIngest();
    const event = anEvent();
    expect((await send(event, event)).body).toEqual({ received: 2 });
  });

  test.each([
    ['the property `type`', { type: 'complete', event: 'view', name: 'start' }, 'complete'],
    ['the property `event` if there is no `type`', { event: 'start', name: 'view' }, 'start'],
    ['the property `name` if `type` and `event` are unusable', { type: 7, event: '', name: 'view' }, 'view'],
    ['the property `type` without its prefix `funnel_`', { type: 'funnel_step_submit' }, 'step_submit'],
    ['the property `type` even if its value is unknown', { type: 'video_played' }, 'video_played'],
    ['empty if the payload is empty', {}, ''],
    ['empty if the `type` is only in `__proto__`', JSON.parse('{"__proto__": {"type": "complete"}}'), ''],
  ])('the kind of an event is %s', async (_, payload, kind) => {
    const { send, rows } = setUpIngest();
    expect((await send(anEvent({ payload }))).status).toBe(200);
    expect(rows()[0]).toMatchObject({ kind, payload: JSON.stringify(payload) });
  });

  test.each([
    ['5 minutes ahead keeps its time', 5 * 60_000, 5 * 60_000],
    ['more than 5 minutes ahead gets the time of its arrival', 5 * 60_000 + 1, 0],
    ['far ahead gets the time of its arrival', Date.UTC(9999, 11, 31) - NOW, 0],
    ['a day old keeps its time', -DAY_MS, -DAY_MS],
    ['30 days old keeps its time', -30 * DAY_MS, -30 * DAY_MS],
  ])('an event that is %s', async (_, ahead, counted) => {
    const { send, rows } = setUpIngest();
    expect((await send(anEvent({ timestamp: at(NOW + ahead) }))).status).toBe(200);
    expect(rows()[0]).toMatchObject({ time_ms: NOW + counted, client_time_ms: NOW + ahead });
  });

  test('removes byte order marks at the start of a column, because programs that read stored files would drop them', async () => {
    const { send, rows } = setUpIngest();
    await send(anEvent({ utmSource: '\ufeff\ufeffnews', utmTerm: '\ufeff', utmMedium: 'a\ufeffb' }));
    expect(rows()[0]).toMatchObject({ utm_source: 'news', utm_term: '', utm_medium: 'a\ufeffb' });
  });

  test('derives the session key from the stored session id, so that every reader of rows can derive the same key', async () => {
    const { funnel, send, rows } = setUpIngest();
    expect((await send(anEvent({ sessionId: '\ufeffabc' }))).status).toBe(200);
    expect(rows()[0]).toMatchObject({ session_id: 'abc', session_key: Number(sessionKey(funnel.id, 'abc')) });
  });

  test('stores events of crawlers, marked as bot', async () => {
    const { post, rows } = setUpIngest();
    expect((await post({ events: [anEvent()] }, { 'user-agent': CRAWLER })).body).toEqual({ received: 1 });
    expect(rows()[0]).toMatchObject({ bot: true });
  });

  test('removes NUL everywhere, and replaces lone surrogates everywhere except in the payload', async () => {
    const { send, rows } = setUpIngest();
    await send(anEvent({ sessionId: 'a\0b', utmSource: 'x\ud800y', payload: { type: 'view\0', note: '\ud800' } }));
    expect(rows()[0]).toMatchObject({ session_id: 'ab', utm_source: 'x\ufffdy', kind: 'view' });
    expect(JSON.parse(String(rows()[0]?.payload))).toEqual({ type: 'view', note: '\ud800' });
  });

  test('keeps keys such as __proto__ and toJSON in a payload', async () => {
    const { post, rows } = setUpIngest();
    const payload = '{"__proto__":{"a":1},"constructor":{"prototype":2},"toJSON":"x","n":1.5,"e":""}';
    const event = `{"eventId":"${randomUUID()}","sessionId":"s","timestamp":"${at(NOW)}","payload":${payload}}`;
    expect((await post(`{"events":[${event}]}`)).body).toEqual({ received: 1 });
    expect(rows()[0]?.payload).toBe(payload);
  });

  test('accepts values exactly at the limits', async () => {
    const { send } = setUpIngest();
    const events = [
      anEvent({ sessionId: '😀'.repeat(128) }),
      anEvent({ pageUrl: 'ü'.repeat(2048), referrer: 'x'.repeat(2048), utmTerm: '😀'.repeat(255) }),
      anEvent({ payload: payloadOf(16 * 1024) }),
      anEvent({ payload: nested(16) }),
      anEvent({ stepIndex: 2 ** 31 - 1, version: -(2 ** 31) }),
      anEvent({ eventId: randomUUID().toUpperCase() }),
    ];
    expect((await send(...events)).body).toEqual({ received: events.length });
    expect((await send(...times(500, () => anEvent()))).body).toEqual({ received: 500 });
  });

  test('a batch that is too large for one record is split into several records, at line ends', async () => {
    const { send, records } = setUpIngest();
    const events = times(100, () => anEvent({ payload: payloadOf(9_000) }));
    expect((await send(...events)).body).toEqual({ received: 100 });
    expect(records.length).toBeGreaterThan(1);
    expect(Math.max(...records.map(({ length }) => length))).toBeLessThanOrEqual(900_000);
    expect(linesOf(records)).toHaveLength(100);
  });

  test('accepts events of a funnel that was unpublished less than a day ago', async () => {
    const { send } = setUpIngest({ funnel: { unpublishedAt: at(NOW - DAY_MS + 1) } });
    expect((await send(anEvent())).status).toBe(200);
  });

  test('accepts an origin that the funnel allows, and a request without an origin', async () => {
    const { post } = setUpIngest({ funnel: { allowedOrigins: ['https://shop.example'] } });
    const body = { events: [anEvent()] };
    expect((await post(body, { origin: 'https://shop.example' })).status).toBe(200);
    expect((await post(body, {})).status).toBe(200);
  });
});
