import { expect, test } from 'vitest';
import { dayStart, hourStarts, rewritten, writtenAt } from '../../../support/analytics/model-based/oracle-calendar.ts';
import {
  counted,
  oracleAcquisition,
  oracleBounds,
  oracleTimeseries,
} from '../../../support/analytics/model-based/oracle-reads.ts';
import { oracleSessions } from '../../../support/analytics/model-based/oracle-sessions.ts';
import type { Arrived, SentEvent } from '../../../support/analytics/model-based/sent-events.ts';

/** Tests of the oracle. Expected results are derived by hand from ADR 0001, because other tests rely on the oracle. */

const NOON = Date.parse('2026-05-31T12:00:00Z');
const arrived = (event: Partial<SentEvent>, overrides: Partial<Arrived> = {}): Arrived => ({
  funnelId: '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01',
  arrivalMs: NOON,
  client: 'phone',
  event: {
    eventId: '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59',
    sessionId: 's',
    timestamp: '2026-05-31T12:00:00Z',
    ...event,
  },
  ...overrides,
});
const sessionOf = async (...events: Arrived[]) => {
  const [session, ...others] = await oracleSessions(events);
  expect(others).toEqual([]);
  return session;
};

test.each([
  ['with a later time', { timestamp: '2026-05-31T12:00:00.001Z' }],
  ['with a later time in another offset', { timestamp: '2026-05-31T17:45:00.001+05:45' }],
  ['with a time that is replaced because it is in the future', { timestamp: '2026-05-31T12:05:00.001Z', stepIndex: 0 }],
  ['with a later step', { stepIndex: 2 }],
  ['without a step', { stepIndex: null }],
  ['with a referrer that is later in UTF-8 order', { stepIndex: 1, referrer: 'https://e.example/' }],
  ['with a UTM source that is later in UTF-8 order', { stepIndex: 1, utmSource: '😀' }],
  ['without a UTM source', { stepIndex: 1, utmSource: '' }],
])('in the oracle, an event %s comes after the other event of its session', async (_, event) => {
  const first = arrived({ stepIndex: 1, utmSource: '！', utmMedium: 'first' });
  const other = arrived({ utmSource: '！', ...event });
  for (const events of [
    [first, other],
    [other, first],
  ])
    expect(await sessionOf(...events)).toMatchObject({ firstMs: NOON, utmMedium: 'first' });
});

test.each([
  [{ payload: { type: 'view' }, stepIndex: 0 }, false, false],
  [{ payload: { type: 'step_view' }, stepIndex: 1 }, true, false],
  [{ payload: { event: 'funnel_step_submit' } }, true, false],
  [{ payload: { type: '', event: 3, name: 'start' } }, true, false],
  [{ payload: { type: 'other', event: 'complete' } }, false, false],
  [{ payload: { name: 'funnel_complete' } }, true, true],
])(
  'for a session with the event %j, the oracle returns %s as started and %s as completed',
  async (event, started, completed) => {
    expect(await sessionOf(arrived(event), arrived({}))).toMatchObject({ started, completed });
  },
);

test('the oracle replaces times over 5 minutes in the future by arrival times, and ignores old, invalid and bot events', async () => {
  const at = async (timestamp: string) => (await sessionOf(arrived({ timestamp })))?.firstMs;
  expect(await at('2026-05-31T12:05:00Z')).toBe(NOON + 300_000);
  expect(await at('2026-05-31T12:05:00.001Z')).toBe(NOON);
  expect(await at('2026-05-01T12:00:00Z')).toBe(NOON - 30 * 86_400_000);
  expect(await at('2026-05-01T11:59:59.999Z')).toBeUndefined();
  expect(await oracleSessions([arrived({}, { client: 'crawler' }), arrived({ stepIndex: '1' })])).toEqual([]);
  expect(await sessionOf(arrived({ referrer: 'https://www.a.example:8443/x' }))).toMatchObject({
    referrer: 'a.example',
  });
  const own = { referrer: 'https://a.example/', pageUrl: 'https://www.a.example/' };
  expect(await sessionOf(arrived(own))).toMatchObject({ referrer: 'direct', deviceType: 'mobile', os: 'ios' });
});

test('in the oracle, a day begins at the first instant of its date; an hour that a clock change repeats is two buckets', () => {
  const start = (date: string, zone: string) => writtenAt(dayStart(date, zone), zone);
  expect(start('2026-04-24', 'Africa/Cairo')).toBe('2026-04-24T01:00:00.000+03:00');
  expect(start('2025-11-02', 'America/Havana')).toBe('2025-11-02T00:00:00.000-04:00');
  expect(start('2026-03-29', 'Europe/Berlin')).toBe('2026-03-29T00:00:00.000+01:00');
  const hours = (since: string, until: string, zone: string) =>
    [...hourStarts(Date.parse(since), Date.parse(until), zone).values()].map((ms) => writtenAt(ms, zone).slice(11, 16));
  expect(hours('2026-10-25T00:30:00Z', '2026-10-25T02:00:00Z', 'Europe/Berlin')).toEqual(['02:00', '02:00']);
  expect(hours('2026-04-04T14:00:00Z', '2026-04-04T16:30:00Z', 'Australia/Lord_Howe')).toEqual([
    '01:00',
    '01:30',
    '02:00',
  ]);
  expect(rewritten('2026-05-31T00:00:00Z')).toBe('2026-05-31T00:00:00.000+00:00');
});

test('in the oracle, a week bucket starts on Monday, but counts only the sessions in the range', async () => {
  const sessions = await oracleSessions(
    Array.from({ length: 7 }, (_, at) =>
      arrived({
        sessionId: `s${at}`,
        payload: { type: at < 4 ? 'complete' : 'start' },
        timestamp: '2026-05-30T23:00:00Z',
      }),
    ),
  );
  const query = {
    range: 'custom' as const,
    since: '2026-05-31',
    until: '2026-06-01',
    timezone: 'Europe/Berlin',
    filters: {},
  };
  const bounds = oracleBounds(query, sessions, NOON);
  const own = counted(query, sessions, NOON);
  expect(oracleTimeseries(own, bounds, { zone: query.timezone, granularity: 'week' })).toEqual({
    granularity: 'week',
    since: '2026-05-31T00:00:00.000+02:00',
    until: '2026-06-02T00:00:00.000+02:00',
    points: [
      { bucket: '2026-05-25T00:00:00.000+02:00', starts: 7, completions: 4, conversionRate: 57.14 },
      { bucket: '2026-06-01T00:00:00.000+02:00', starts: 0, completions: 0, conversionRate: 0 },
    ],
  });
  expect(oracleAcquisition(own, query.timezone).hours.filter((cell) => cell.sessions > 0)).toEqual([
    { weekday: 0, hour: 1, sessions: 7 },
  ]);
});
