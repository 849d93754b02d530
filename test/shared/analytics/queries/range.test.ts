import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { rangeQuery, resolveRange, toTimeBounds } from '../../../../shared/analytics/queries/range.ts';
import { HttpError } from '../../../../shared/http/errors.ts';
import { isTimeZone } from '../../../../shared/platform/time-zone.ts';

const HOUR_MS = 3_600_000;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Beirut',
  'America/Havana',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Africa/Cairo',
];

const Query = z.object(rangeQuery);
type Given = z.input<typeof Query>;

/** The bounds of a range at the time `now`, as ISO instants. */
function bounds(given: Given, timeZone: string, now = '2026-05-31T10:00:00Z', first?: string) {
  const range = resolveRange(Query.parse(given), timeZone, Date.parse(now));
  const { sinceMs, untilMs } = toTimeBounds(range, first === undefined ? Number.POSITIVE_INFINITY : Date.parse(first));
  return [sinceMs, untilMs].map((ms) => new Date(ms).toISOString().replace('.000Z', 'Z'));
}

function errorMessage(given: Given, timeZone = 'UTC'): string {
  try {
    bounds(given, timeZone);
  } catch (thrown) {
    if (thrown instanceof HttpError && thrown.status === 400) return thrown.message;
    throw thrown;
  }
  throw new Error('The query was accepted.');
}

const dates = new Map<string, Intl.DateTimeFormat>();

/** The local date by the platform's own calendar, independent of the tested code. */
function localDateAt(ms: number, timeZone: string): string {
  const format = dates.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  dates.set(timeZone, format);
  return format.format(ms);
}

const daysBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10);

/** The first minute of the date, found by a linear search. */
function firstMinuteOf(date: string, timeZone: string): number {
  const noon = Date.parse(`${date}T12:00:00Z`);
  for (let ms = noon - 28 * HOUR_MS; ms < noon + 16 * HOUR_MS; ms += 60_000)
    if (localDateAt(ms, timeZone) === date) return ms;
  throw new Error(`${date} does not exist in ${timeZone}.`);
}

const someZone = fc.constantFrom(...ZONES);
const someMinute = fc
  .integer({ min: Date.UTC(2012, 1) / 60_000, max: Date.UTC(2030, 0) / 60_000 })
  .map((m) => m * 60_000);

describe('a day', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z', '2026-03-29T21:00:00Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00Z', '2026-01-01T18:15:00Z'],
  ])('in %s on %s lasts from %s to %s', (timeZone, date, since, until) => {
    expect(bounds({ range: 'custom', since: date, until: date }, timeZone)).toEqual([since, until]);
  });

  test('starts at the first instant of its local date, in many zones and years', () => {
    fc.assert(
      fc.property(someZone, someMinute, (timeZone, ms) => {
        const date = localDateAt(ms, timeZone);
        const [since = ''] = bounds({ range: 'custom', since: date, until: date }, timeZone);
        expect(Date.parse(since)).toBe(firstMinuteOf(date, timeZone));
      }),
      { numRuns: 60 },
    );
  });

  test('starts at the first instant of its local date, even if clocks change on that date', () => {
    const transitions = ZONES.flatMap((timeZone) =>
      transitionsIn(timeZone, 2017, 2019).map((ms) => [timeZone, ms] as const),
    );
    expect(transitions.length).toBeGreaterThan(20);
    for (const [timeZone, ms] of transitions) {
      const date = localDateAt(ms + 2 * HOUR_MS, timeZone);
      const [since = ''] = bounds({ range: 'custom', since: date, until: date }, timeZone);
      expect([timeZone, Date.parse(since)]).toEqual([timeZone, firstMinuteOf(date, timeZone)]);
    }
  });
});

function transitionsIn(timeZone: string, fromYear: number, toYear: number): number[] {
  const found: number[] = [];
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offset = (ms: number) => format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value;
  for (let ms = Date.UTC(fromYear, 0); ms < Date.UTC(toYear, 0); ms += HOUR_MS)
    if (offset(ms) !== offset(ms + HOUR_MS)) found.push(ms);
  return found;
}

describe('the range', () => {
  test.each([
    [{ range: 'today' }, '2026-05-30T22:00:00Z', '2026-05-31T10:00:00Z'],
    [{ range: 'yesterday' }, '2026-05-29T22:00:00Z', '2026-05-30T22:00:00Z'],
    [{ range: '7d' }, '2026-05-24T22:00:00Z', '2026-05-31T10:00:00Z'],
    [{ range: '30d' }, '2026-05-01T22:00:00Z', '2026-05-31T10:00:00Z'],
    [{ range: '90d' }, '2026-03-02T23:00:00Z', '2026-05-31T10:00:00Z'],
    [{}, '2026-05-01T22:00:00Z', '2026-05-31T10:00:00Z'],
  ] as const)('of the query %o in Berlin lasts from %s to %s', (given, since, until) => {
    expect(bounds(given, 'Europe/Berlin')).toEqual([since, until]);
  });

  test('“today”, “7d”, “30d” or “90d” starts at the beginning of a local day and ends now, in many zones', () => {
    const days = { today: 0, '7d': 6, '30d': 29, '90d': 89 } as const;
    fc.assert(
      fc.property(someZone, someMinute, fc.constantFrom('today', '7d', '30d', '90d'), (timeZone, ms, range) => {
        const date = daysBefore(localDateAt(ms, timeZone), days[range]);
        const now = new Date(ms).toISOString();
        const [since = '', until = ''] = bounds({ range }, timeZone, now);
        expect(Date.parse(since)).toBe(firstMinuteOf(date, timeZone));
        expect(Date.parse(until)).toBe(ms);
      }),
      { numRuns: 60 },
    );
  });

  test('“yesterday” ends at the instant at which today begins', () => {
    fc.assert(
      fc.property(someZone, someMinute, (timeZone, ms) => {
        const now = new Date(ms).toISOString();
        expect(bounds({ range: 'yesterday' }, timeZone, now)[1]).toBe(bounds({ range: 'today' }, timeZone, now)[0]);
      }),
    );
  });

  test('“all” starts at the beginning of the local day of the first session', () => {
    const now = '2026-05-31T10:00:00Z';
    expect(bounds({ range: 'all' }, 'America/New_York', now, '2026-01-02T03:00:00Z')).toEqual([
      '2026-01-01T05:00:00Z',
      now,
    ]);
  });

  test('“all” is today if there is no session, or if the first session is in the future', () => {
    const now = '2026-05-31T10:00:00Z';
    for (const first of [undefined, '2026-06-01T00:04:00Z'])
      expect(bounds({ range: 'all' }, 'UTC', now, first)).toEqual(['2026-05-31T00:00:00Z', now]);
  });
});

describe('a custom range', () => {
  test.each([
    ['2026-05-01T08:00:00Z', '2026-05-02T08:00:00Z', '2026-05-01T08:00:00Z', '2026-05-02T08:00:00Z'],
    ['2026-05-01T08:00:00+02:00', '2026-05-01T08:00:00.5z', '2026-05-01T06:00:00Z', '2026-05-01T08:00:00.500Z'],
    ['2026-05-01T08:00:00 02:00', '2026-05-02', '2026-05-01T06:00:00Z', '2026-05-02T22:00:00Z'],
    ['2026-05-01', '2026-05-01T08:00:00-05:30', '2026-04-30T22:00:00Z', '2026-05-01T13:30:00Z'],
    ['2024-05-31', '2026-05-30', '2024-05-30T22:00:00Z', '2026-05-30T22:00:00Z'],
    ['2030-01-01', '2030-01-01', '2029-12-31T23:00:00Z', '2030-01-01T23:00:00Z'],
  ])('with since %s and until %s in Berlin lasts from %s to %s', (since, until, from, to) => {
    expect(bounds({ range: 'custom', since, until }, 'Europe/Berlin')).toEqual([from, to]);
  });

  test.each([
    [{ range: 'custom', until: '2026-05-01' }, 'query.since is required with range=custom.'],
    [{ range: 'custom', since: '2026-05-01' }, 'query.until is required with range=custom.'],
    [{ range: 'custom', since: '2026-05-02', until: '2026-05-01' }, 'query.until must be after since.'],
    [
      { range: 'custom', since: '2026-05-01T00:00:00Z', until: '2026-05-01T00:00:00Z' },
      'query.until must be after since.',
    ],
    [{ range: 'custom', since: '2024-05-01', until: '2026-05-01' }, 'query.until must be within 2 years of since.'],
    [
      { range: 'custom', since: '2024-05-01T00:00:00Z', until: '2026-05-01T00:00:01Z' },
      'query.until must be within 2 years of since.',
    ],
    [{ range: '7d', since: '2026-05-01' }, 'query.since is allowed only with range=custom.'],
    [{ until: '2026-05-01' }, 'query.until is allowed only with range=custom.'],
  ] as const)(
    'with missing, impossible or superfluous bounds (query %o) is rejected with the message: %s',
    (given, message) => {
      expect(errorMessage(given)).toBe(message);
    },
  );

  test.each([
    '',
    '2026',
    '2026-5-1',
    '2026-02-29',
    '2026-13-01',
    '20260501',
    '2026-W18-5',
    '2026-05-01T08:00Z',
    '2026-05-01T08:00:00',
    '2026-05-01 08:00:00Z',
    '2026-05-01T25:00:00Z',
    '2026-05-01T08:00:00+25:00',
    '2026-05-01T08:00:00Z[Europe/Berlin]',
    '+002026-05-01',
    '1767225600000',
    'yesterday',
    '2026-05-01\n',
    '٢٠٢٦-٠٥-٠١',
  ])('is rejected with the invalid since %j', (since) => {
    expect(errorMessage({ range: 'custom', since, until: '2026-05-31' })).toMatch(/^query\.since must be a date/);
  });

  test('with a random `since` is rejected or has valid bounds', () => {
    const digits = fc.constantFrom('2026-05-01', '0001-01-01', '9998-12-31', 'T00:00:00', 'Z', '+23:59', '-', ':', '1');
    fc.assert(
      fc.property(fc.array(digits, { maxLength: 4 }), someZone, (parts, timeZone) => {
        const given = { range: 'custom', since: parts.join(''), until: '9998-12-31' } as const;
        try {
          for (const ms of bounds(given, timeZone)) expect(Number.isNaN(Date.parse(ms))).toBe(false);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(HttpError);
        }
      }),
    );
  });
});

describe('isTimeZone', () => {
  test.each(['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Asia/Calcutta', 'Asia/Kolkata'])(
    'accepts %s',
    (name) => expect(isTimeZone(name)).toBe(true),
  );

  test.each(['', 'Mars/Olympus', '+02:00', '-0530', 'Z+1', 'Europe/Berlin ', '../etc/passwd', 'Europe', '\0'])(
    'rejects %j',
    (name) => expect(isTimeZone(name)).toBe(false),
  );
});
