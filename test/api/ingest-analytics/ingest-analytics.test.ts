import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sessionKey } from '../../../shared/analytics/session-key.ts';
import { StoredEvent } from '../../../shared/analytics/stored-event.ts';
import { anEvent, CRAWLER, linesOf, NOW, PHONE, setUpIngest } from '../../support/events.ts';

const DAY_MS = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Objects nested so deep. */
const nested = (depth: number): unknown => (depth <= 1 ? {} : { a: nested(depth - 1) });
/** A payload of exactly so many bytes as JSON. */
const payloadOf = (bytes: number) => ({ type: 'view', x: 'x'.repeat(bytes - '{"type":"view","x":""}'.length) });

describe('200', () => {
  test('a batch is one record on the stream, a line an event, before the answer', async () => {
    const { send, records, rows } = setUpIngest();
    const events = times(50, () => anEvent());
    expect(await send(...events)).toMatchObject({ status: 200, body: { received: 50 } });
    expect(records).toHaveLength(1);
    expect(rows().map(({ event_id }) => event_id)).toEqual(events.map(({ eventId }) => eventId));
  });

  test('the answer has no member `rejected` when there is none', async () => {
    const { send } = setUpIngest();
    expect((await send(anEvent())).text).toBe('{"received":1}');
  });

  test('a row has every column, and the session’s key in exact digits before them', async () => {
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
    expect(StoredEvent.parse(row)).toEqual(row);
    expect(linesOf(records)[0]).toMatch(new RegExp(`^\\{"session_key":${sessionKey(funnel.id, 'session-1')},`));
  });

  test('the least that an event needs', async () => {
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
    expect(StoredEvent.safeParse(row).success).toBe(true);
  });

  test('null means absent, and unknown properties of events and of the batch are ignored', async () => {
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
    expect(StoredEvent.safeParse(rows()[0]).success).toBe(true);
  });

  test('text/plain holding JSON, as a beacon sends it, with its origin echoed', async () => {
    const { post } = setUpIngest();
    const origin = 'https://shop.example';
    const answer = await post({ events: [anEvent()] }, { 'content-type': 'text/plain;charset=UTF-8', origin });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' },
    });
  });

  test('duplicates within a batch are received', async () => {
    const { send } = setUpIngest();
    const event = anEvent();
    expect((await send(event, event)).body).toEqual({ received: 2 });
  });

  test.each([
    ['type', { type: 'complete', event: 'view', name: 'start' }, 'complete'],
    ['event, without type', { event: 'start', name: 'view' }, 'start'],
    ['name, without both', { type: 7, event: '', name: 'view' }, 'view'],
    ['a prefix that some pages use', { type: 'funnel_step_submit' }, 'step_submit'],
    ['anything else', { type: 'video_played' }, 'video_played'],
    ['nothing', {}, ''],
    ['__proto__, which is data', JSON.parse('{"__proto__": {"type": "complete"}}'), ''],
  ])('the kind is what the payload says by %s', async (_, payload, kind) => {
    const { send, rows } = setUpIngest();
    await send(anEvent({ payload }));
    expect(rows()[0]).toMatchObject({ kind, payload: JSON.stringify(payload) });
  });

  test.each([
    ['none', undefined, 'direct'],
    ['an empty one', '', 'direct'],
    ['the page’s own host, with or without www.', 'https://shop.example/start', 'direct'],
    ['no address', '::::', 'direct'],
    ['another host', 'http://WWW.News.example:8080/a', 'news.example'],
    ['an app', 'android-app://com.example.reader/', 'com.example.reader'],
    ['a bare host', 'news.example', 'news.example'],
  ])('the referrer is a host or direct: %s', async (_, referrer, host) => {
    const { send, rows } = setUpIngest();
    await send(anEvent({ pageUrl: 'https://www.shop.example/offer', referrer }));
    expect(rows()[0]).toMatchObject({ referrer: host, referrer_url: referrer ?? '' });
  });

  test.each([
    ['up to 5 minutes ahead', 5 * 60_000, 5 * 60_000],
    ['more, which is clamped to the arrival', 5 * 60_000 + 1, 0],
    ['far ahead', Date.UTC(9999, 11, 31) - NOW, 0],
    ['in the past', -DAY_MS, -DAY_MS],
    ['30 days old', -30 * DAY_MS, -30 * DAY_MS],
  ])('the clock of the page counts %s', async (_, ahead, counted) => {
    const { send, rows } = setUpIngest();
    await send(anEvent({ timestamp: at(NOW + ahead) }));
    expect(rows()[0]).toMatchObject({ time_ms: NOW + counted, client_time_ms: NOW + ahead });
  });

  test('events of crawlers are received and marked', async () => {
    const { post, rows } = setUpIngest();
    expect((await post({ events: [anEvent()] }, { 'user-agent': CRAWLER })).body).toEqual({ received: 1 });
    expect(rows()[0]).toMatchObject({ bot: true });
  });

  test('NUL is removed, and half a surrogate pair becomes a character that has UTF-8', async () => {
    const { send, rows } = setUpIngest();
    await send(anEvent({ sessionId: 'a\0b', utmSource: 'x\ud800y', payload: { type: 'view\0', note: '\ud800' } }));
    expect(rows()[0]).toMatchObject({ session_id: 'ab', utm_source: 'x\ufffdy', kind: 'view' });
    expect(JSON.parse(String(rows()[0]?.payload))).toEqual({ type: 'view', note: '\ud800' });
  });

  test('a payload keeps every key and value as data', async () => {
    const { post, rows } = setUpIngest();
    const payload = '{"__proto__":{"a":1},"constructor":{"prototype":2},"toJSON":"x","n":1.5,"e":""}';
    const event = `{"eventId":"${randomUUID()}","sessionId":"s","timestamp":"${at(NOW)}","payload":${payload}}`;
    expect((await post(`{"events":[${event}]}`)).body).toEqual({ received: 1 });
    expect(rows()[0]?.payload).toBe(payload);
  });

  test('the limits themselves are still accepted', async () => {
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

  test('a batch over the record limit is split into records of whole lines', async () => {
    const { send, records } = setUpIngest();
    const events = times(100, () => anEvent({ payload: payloadOf(9_000) }));
    expect((await send(...events)).body).toEqual({ received: 100 });
    expect(records.length).toBeGreaterThan(1);
    expect(Math.max(...records.map(({ length }) => length))).toBeLessThanOrEqual(900_000);
    expect(linesOf(records)).toHaveLength(100);
  });

  test('a funnel that was unpublished less than a day ago still takes events', async () => {
    const { send } = setUpIngest({ funnel: { unpublishedAt: at(NOW - DAY_MS + 1) } });
    expect((await send(anEvent())).status).toBe(200);
  });

  test('an origin that the funnel lists, and a caller without an origin', async () => {
    const { post } = setUpIngest({ funnel: { allowedOrigins: ['https://shop.example'] } });
    const body = { events: [anEvent()] };
    expect((await post(body, { origin: 'https://shop.example' })).status).toBe(200);
    expect((await post(body, {})).status).toBe(200);
  });
});

describe('200, with rejected rows', () => {
  test.each([
    ['eventId', { eventId: undefined }],
    ['eventId', { eventId: 'x' }],
    ['eventId', { eventId: 7 }],
    ['sessionId', { sessionId: undefined }],
    ['sessionId', { sessionId: '' }],
    ['sessionId', { sessionId: '\0' }],
    ['sessionId', { sessionId: 'x'.repeat(129) }],
    ['sessionId', { sessionId: '😀'.repeat(129) }],
    ['timestamp', { timestamp: undefined }],
    ['timestamp', { timestamp: NOW }],
    ['timestamp', { timestamp: '2026-03-01' }],
    ['timestamp', { timestamp: '2026-03-01T12:00:00' }],
    ['timestamp', { timestamp: '2026-02-30T12:00:00Z' }],
    ['timestamp', { timestamp: at(NOW - 30 * DAY_MS - 1) }],
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
  ])('a bad row names its %s and does not cost the others', async (field, said) => {
    const { send, rows } = setUpIngest();
    const [before, after] = [anEvent(), anEvent()];
    const answer = await send(before, anEvent(said), after);
    expect(answer).toMatchObject({
      status: 200,
      body: { received: 2, rejected: [{ index: 1, code: 'validation_failed', message: expect.any(String) }] },
    });
    const { rejected } = answer.body as { rejected: { message: string }[] };
    expect(rejected[0]?.message.split(':')[0]).toBe(`events[1].${field}`);
    expect(rows().map(({ event_id }) => event_id)).toEqual([before.eventId, after.eventId]);
  });

  test('an event over 32 KB, even by properties that are ignored', async () => {
    const { send, rows } = setUpIngest();
    const { body } = await send(anEvent({ extra: 'x'.repeat(32 * 1024) }), anEvent({ extra: 'x'.repeat(32_000) }));
    expect(body).toMatchObject({
      received: 1,
      rejected: [{ index: 0, message: 'events[0]: must be at most 32768 bytes.' }],
    });
    expect(rows()).toHaveLength(1);
  });

  test.each([null, 1, 'x', [], true])('what is no object at all: %j', async (row) => {
    const { send } = setUpIngest();
    expect((await send(row, anEvent())).body).toMatchObject({ received: 1, rejected: [{ index: 0 }] });
  });

  test('nothing is put on the stream when every row is bad', async () => {
    const { send, records } = setUpIngest();
    expect((await send({}, {})).body).toMatchObject({ received: 0, rejected: [{ index: 0 }, { index: 1 }] });
    expect(records).toEqual([]);
  });
});

test.each([
  ['body.events', {}],
  ['body.events', { events: [] }],
  ['body.events', { events: {} }],
  ['body.events', { events: null }],
  ['body.events', { events: 'x' }],
  ['body.events', { events: times(501, () => ({})) }],
  ['body', []],
  ['body', '{"events":['],
  ['body', ''],
  ['body', { events: [anEvent({ payload: nested(40) })] }],
])('400: names %s when the batch itself is wrong, and stores nothing', async (path, body) => {
  const { post, records } = setUpIngest();
  const answer = await post(body);
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
  expect((answer.body as { error: { message: string } }).error.message.split(':')[0]).toBe(path);
  expect(records).toEqual([]);
});

test('400: a funnel id in the path that is no UUID', async () => {
  const { call } = setUpIngest();
  expect(await call({ path: { id: 'x' }, body: { events: [anEvent()] } })).toMatchObject({
    status: 400,
    body: { error: { message: 'path.id: must be a UUID.' } },
  });
});

test('403: an origin that the funnel does not list; nothing is stored', async () => {
  const { post, records } = setUpIngest({ funnel: { allowedOrigins: ['https://shop.example'] } });
  const answer = await post({ events: [anEvent()] }, { origin: 'https://other.example' });
  expect(answer).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  expect(records).toEqual([]);
});

test.each([
  ['archived', { archivedAt: at(NOW) }],
  ['never published', { publishedVersionId: null }],
  ['unpublished for a day', { unpublishedAt: at(NOW - DAY_MS) }],
])('404: a funnel that is %s; nothing is stored', async (_, funnel) => {
  const { send, records } = setUpIngest({ funnel });
  expect(await send(anEvent())).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect(records).toEqual([]);
});

test('404: an unknown funnel, but a wrong batch is 400 before that', async () => {
  const { call } = setUpIngest();
  const path = { id: randomUUID() };
  expect((await call({ path, body: { events: [anEvent()] } })).status).toBe(404);
  expect((await call({ path, body: { events: [] } })).status).toBe(400);
});

test('413: a body over 1 MiB', async () => {
  const { send, records } = setUpIngest();
  const events = times(70, () => anEvent({ payload: payloadOf(16 * 1024) }));
  expect((await send(...events)).status).toBe(413);
  expect(records).toEqual([]);
});

test('415: another content type', async () => {
  const { post } = setUpIngest();
  expect((await post({ events: [anEvent()] }, { 'content-type': 'text/html' })).status).toBe(415);
});

test('503: the stream did not take the batch, and says when to send it again', async () => {
  const { send } = setUpIngest({ stream: { append: async () => Promise.reject(new Error('shard-7 is throttled')) } });
  const answer = await send(anEvent());
  expect(answer).toMatchObject({
    status: 503,
    headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
    body: { error: { code: 'service_unavailable' } },
  });
  expect(answer.text).not.toContain('shard');
});

test('503: also when only a later record of the batch was not taken', async () => {
  const taken: Uint8Array[] = [];
  const append = async (record: Uint8Array) => {
    if (taken.length > 0) throw new Error('throttled');
    taken.push(record);
  };
  const { send } = setUpIngest({ stream: { append } });
  expect((await send(...times(100, () => anEvent({ payload: payloadOf(9_000) })))).status).toBe(503);
});

describe('whatever a stranger sends', () => {
  const statuses = [200, 400];
  const answered = async (body: unknown) => {
    const { post } = setUpIngest();
    const answer = await post(body, { 'user-agent': PHONE });
    expect(statuses, answer.text).toContain(answer.status);
    return answer;
  };

  test('as a body: it is answered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), async (body) => void (await answered(body))),
    );
  });

  test('as an event: every row is either received or rejected, and each received one is a line', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('', '\0', 'x'.repeat(3_000), 1e308, -0, 2 ** 53, '\ud800'));
    const names = Object.keys({
      ...anEvent(),
      ...StoredEvent.shape,
      stepIndex: 0,
      pageUrl: '',
      referrer: '',
      utmTerm: '',
    });
    const strange = fc
      .dictionary(fc.constantFrom(...names, '__proto__', 'toString'), value)
      .map((said) => anEvent({ payload: said, ...said }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(strange, value), { minLength: 1, maxLength: 5 }), async (events) => {
        const { send, rows } = setUpIngest();
        const { status, body } = await send(...events);
        expect(status).toBe(200);
        const { received, rejected = [] } = body as { received: number; rejected?: { index: number }[] };
        expect(received + rejected.length).toBe(events.length);
        expect(rows()).toHaveLength(received);
        for (const { session_key: _, ...row } of rows()) expect(StoredEvent.parse(row)).toEqual(row);
      }),
      { numRuns: 300 },
    );
  });
});
