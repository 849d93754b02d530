import { describe, expect, test } from 'vitest';
import { bucketsBetween, type Granularity } from '../../../../shared/analytics/queries/buckets.ts';
import { instantText } from '../../../../shared/platform/time-zone.ts';

/** The starts of the buckets in local time, without the year. */
const named = (zone: string, granularity: Granularity, since: string, until: string) =>
  bucketsBetween({ sinceMs: Date.parse(since), untilMs: Date.parse(until) }, zone, granularity).map(
    ({ startMs, offsetMs }) => instantText(startMs, offsetMs).slice('2026-'.length),
  );

describe('hour buckets', () => {
  test.each<[string, string, string, string, string[]]>([
    [
      'an hour is skipped',
      'Europe/Berlin',
      '2026-03-29T00:00Z',
      '2026-03-29T03:00Z',
      ['03-29T01:00:00+01:00', '03-29T03:00:00+02:00', '03-29T04:00:00+02:00'],
    ],
    [
      'an hour occurs twice',
      'Europe/Berlin',
      '2026-10-25T00:00Z',
      '2026-10-25T03:00Z',
      ['10-25T02:00:00+02:00', '10-25T02:00:00+01:00', '10-25T03:00:00+01:00'],
    ],
    [
      'an hour is skipped west of Greenwich',
      'America/New_York',
      '2026-03-08T06:00Z',
      '2026-03-08T08:00Z',
      ['03-08T01:00:00-05:00', '03-08T03:00:00-04:00'],
    ],
    [
      'an hour occurs twice west of Greenwich',
      'America/New_York',
      '2026-11-01T05:00Z',
      '2026-11-01T07:00Z',
      ['11-01T01:00:00-04:00', '11-01T01:00:00-05:00'],
    ],
    [
      'the second half of an hour occurs twice',
      'Australia/Lord_Howe',
      '2026-04-04T14:00Z',
      '2026-04-04T17:00Z',
      ['04-05T01:00:00+11:00', '04-05T01:30:00+10:30', '04-05T02:00:00+10:30', '04-05T03:00:00+10:30'],
    ],
    [
      'the first half of an hour is skipped',
      'Australia/Lord_Howe',
      '2026-10-03T14:30Z',
      '2026-10-03T16:30Z',
      ['10-04T01:00:00+10:30', '10-04T02:30:00+11:00', '10-04T03:00:00+11:00'],
    ],
    [
      'local hours start at a quarter past the UTC hour',
      'Asia/Kathmandu',
      '2026-05-31T00:00Z',
      '2026-05-31T01:20Z',
      ['05-31T05:00:00+05:45', '05-31T06:00:00+05:45', '05-31T07:00:00+05:45'],
    ],
    [
      'an hour is skipped at a quarter to three',
      'Pacific/Chatham',
      '2026-09-26T13:00Z',
      '2026-09-26T15:30Z',
      [
        '09-27T01:00:00+12:45',
        '09-27T02:00:00+12:45',
        '09-27T03:45:00+13:45',
        '09-27T04:00:00+13:45',
        '09-27T05:00:00+13:45',
      ],
    ],
    [
      'the range has parts of two hours',
      'UTC',
      '2026-05-31T08:59:59.999Z',
      '2026-05-31T09:00:00.001Z',
      ['05-31T08:00:00+00:00', '05-31T09:00:00+00:00'],
    ],
  ])(
    'start when the local hour or the offset changes, also if %s (%s from %s until %s)',
    (_, zone, since, until, expected) => {
      expect(named(zone, 'hour', since, until)).toEqual(expected);
    },
  );
});

describe('day buckets', () => {
  test.each<[string, string, string, string, string[]]>([
    [
      'a day has 23 hours',
      'Europe/Berlin',
      '2026-03-28T23:00Z',
      '2026-03-30T00:00Z',
      ['03-29T00:00:00+01:00', '03-30T00:00:00+02:00'],
    ],
    [
      'a day has 25 hours',
      'Europe/Berlin',
      '2026-10-24T22:00Z',
      '2026-10-26T00:00Z',
      ['10-25T00:00:00+02:00', '10-26T00:00:00+01:00'],
    ],
    [
      'a day starts at 1 o’clock',
      'America/Santiago',
      '2026-09-05T12:00Z',
      '2026-09-07T04:00Z',
      ['09-05T00:00:00-04:00', '09-06T01:00:00-03:00', '09-07T00:00:00-03:00'],
    ],
    [
      'a day starts at 1 o’clock',
      'Africa/Cairo',
      '2026-04-23T12:00Z',
      '2026-04-24T12:00Z',
      ['04-23T00:00:00+02:00', '04-24T01:00:00+03:00'],
    ],
    [
      'a day starts at 1 o’clock',
      'Asia/Beirut',
      '2026-03-28T12:00Z',
      '2026-03-29T12:00Z',
      ['03-28T00:00:00+02:00', '03-29T01:00:00+03:00'],
    ],
    [
      'midnight occurs twice',
      'America/Havana',
      '2026-10-31T12:00Z',
      '2026-11-01T12:00Z',
      ['10-31T00:00:00-04:00', '11-01T00:00:00-04:00'],
    ],
    [
      'clocks are set back at midnight',
      'America/Santiago',
      '2026-04-04T12:00Z',
      '2026-04-05T12:00Z',
      ['04-04T00:00:00-03:00', '04-05T00:00:00-04:00'],
    ],
    [
      'a date is skipped',
      'Pacific/Apia',
      '2011-12-29T12:00Z',
      '2011-12-31T12:00Z',
      ['12-29T00:00:00-10:00', '12-31T00:00:00+14:00', '01-01T00:00:00+14:00'],
    ],
    ['the range has only half a day', 'UTC', '2026-05-31T12:00Z', '2026-06-01T00:00Z', ['05-31T00:00:00+00:00']],
  ])('start at the first instant of each date, also if %s (%s from %s until %s)', (_, zone, since, until, expected) => {
    expect(named(zone, 'day', since, until)).toEqual(expected);
  });
});

describe('week buckets', () => {
  test.each<[string, string, string, string, string[]]>([
    [
      'the range begins on a Sunday',
      'Europe/Berlin',
      '2026-05-31T10:00Z',
      '2026-06-08T00:00Z',
      ['05-25T00:00:00+02:00', '06-01T00:00:00+02:00', '06-08T00:00:00+02:00'],
    ],
    ['the range is a whole week', 'UTC', '2026-06-01T00:00Z', '2026-06-08T00:00Z', ['06-01T00:00:00+00:00']],
    [
      'the range is the last millisecond of a Sunday',
      'UTC',
      '2026-05-31T23:59:59.999Z',
      '2026-06-01T00:00Z',
      ['05-25T00:00:00+00:00'],
    ],
    [
      'clocks change within a week',
      'America/New_York',
      '2026-03-08T12:00Z',
      '2026-03-09T12:00Z',
      ['03-02T00:00:00-05:00', '03-09T00:00:00-04:00'],
    ],
    [
      'a week has six days',
      'Pacific/Apia',
      '2012-01-01T00:00Z',
      '2012-01-02T00:00Z',
      ['12-26T00:00:00-10:00', '01-02T00:00:00+14:00'],
    ],
  ])('start on Mondays, also if %s (%s from %s until %s)', (_, zone, since, until, expected) => {
    expect(named(zone, 'week', since, until)).toEqual(expected);
  });
});
