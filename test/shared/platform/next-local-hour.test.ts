import { expect, test } from 'vitest';
import { nextLocalHour } from '../../../shared/platform/time-zone.ts';

const next = (time: string, zone: string) => new Date(nextLocalHour(Date.parse(time), 8, zone)).toISOString();

test.each([
  ['2026-03-02T06:59:59.999Z', 'Europe/Berlin', '2026-03-02T07:00:00.000Z'],
  ['2026-03-02T07:00:00.000Z', 'Europe/Berlin', '2026-03-03T07:00:00.000Z'],
  // The clocks change on 29 March and 25 October 2026.
  ['2026-03-28T12:00:00.000Z', 'Europe/Berlin', '2026-03-29T06:00:00.000Z'],
  ['2026-10-24T12:00:00.000Z', 'Europe/Berlin', '2026-10-25T07:00:00.000Z'],
  ['2026-03-02T22:30:00.000Z', 'Asia/Kathmandu', '2026-03-03T02:15:00.000Z'],
])('the next 08:00 after %s in %s is %s', (time, zone, expected) => {
  expect(next(time, zone)).toBe(expected);
});
