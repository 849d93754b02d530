import type { Query } from './analytics-api.ts';

const LONG = 'x'.repeat(5_000);
const SHARED_NAMES = [
  ...['range', 'since', 'until', 'timezone', 'referrer', 'utmSource', 'utmMedium', 'utmCampaign', 'utmTerm'],
  ...['utmContent', 'deviceType', 'browser', 'os'],
] as const;

const custom = (since: string, until: string, more: Query = {}): Query => ({ range: 'custom', since, until, ...more });

const WRONG_TIMES = [
  '',
  ' ',
  'soon',
  'yesterday',
  '2026',
  '2026-05',
  '2026-5-1',
  '2026-02-30',
  '2025-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-05-00',
  '20260501',
  '01.05.2026',
  '05/01/2026',
  '2026-W18-5',
  '2026-121',
  '0000-01-01',
  '9999-12-31',
  '-2026-05-01',
  '+002026-05-01',
  '2026-05-01T08:00Z',
  '2026-05-01T08Z',
  '2026-05-01T08:00:00',
  '2026-05-01 08:00:00Z',
  '2026-05-01T24:00:00Z',
  '2026-05-01T08:60:00Z',
  '2026-05-01T08:00:61Z',
  '2026-02-30T08:00:00Z',
  '2026-05-01T08:00:00+24:00',
  '2026-05-01T08:00:00+02',
  '2026-05-01T08:00:00+0200',
  '2026-05-01T08:00:00+02:00[Europe/Berlin]',
  '2026-05-01T08:00:00Z[u-ca=hebrew]',
  '2026-05-01T08:00:00,5Z',
  '2026-05-01\0',
  '2026-05-01\n',
  '%32026-05-01',
  '２０２６-05-01',
  '1767225600000',
  LONG,
] as const;

const WRONG_ZONES = [
  '',
  ' ',
  'Mars/Base',
  'Europe/Berlin ',
  'Europe/ Berlin',
  'Europe Berlin',
  'Europe%2FBerlin',
  'Europe',
  'CEST',
  'PST',
  'SystemV/EST5',
  '+02:00',
  '-0530',
  ' 02:00',
  'UTC+1',
  'GMT+2',
  'Z',
  'Etc/Unknown',
  'Etc/GMT+99',
  'Factory',
  '../etc/passwd',
  'Europe/Berlin[u-ca=hebrew]',
  'Europe/Berlin\0',
  'Еurope/Berlin',
  `${LONG}/Berlin`,
] as const;

/** Invalid values of enumerations: wrong case, lists, similar words, percent-encoded characters, and blanks. */
const WRONG_CHOICES: Record<string, readonly string[]> = {
  range: ['', ' ', '14d', '7D', '7d ', '7', 'last7d', '7d,30d', '%37d', 'Custom', 'null', '7d\0', LONG],
  deviceType: ['', 'phone', 'Mobile', 'mobile,tablet', 'mobile\0', 'desktop ', LONG],
  browser: ['', 'netscape', 'Chrome', 'chrome safari', '%63hrome', LONG],
  os: ['', 'beos', 'iOS', 'mac', '*', LONG],
};

/** Queries that every analytics operation must reject, with the parameter that the error must name. */
export const WRONG_QUERIES: readonly [name: string, query: Query][] = [
  ...SHARED_NAMES.map((name): [string, Query] => [name, { [name]: ['today', 'today'] }]),
  ...Object.entries(WRONG_CHOICES).flatMap(([name, values]) =>
    values.map((value): [string, Query] => [name, { [name]: value }]),
  ),
  ...WRONG_ZONES.map((timezone): [string, Query] => ['timezone', { timezone }]),
  ...WRONG_TIMES.map((since): [string, Query] => ['since', custom(since, '2026-05-02')]),
  ...WRONG_TIMES.map((until): [string, Query] => ['until', custom('2026-05-01', until)]),
  ...['referrer', 'utmSource', 'utmMedium', 'utmCampaign', 'utmTerm', 'utmContent'].flatMap((name) =>
    ['', ' ', 'a\0b', '\ufeff'].map((value): [string, Query] => [name, { [name]: value }]),
  ),
  ...['utm_source', 'UtmSource', 'device_type', 'time-zone'].map((name): [string, Query] => [name, { [name]: 'UTC' }]),
  ['since', { range: 'custom' }],
  ['since', { range: 'custom', until: '2026-05-01' }],
  ['until', { range: 'custom', since: '2026-05-01' }],
  ['since', { since: '2026-05-01' }],
  ['until', { until: '2026-05-01' }],
  ...['today', 'yesterday', '7d', '30d', '90d', 'all'].map((range): [string, Query] => [
    'since',
    custom('2026-05-01', '2026-05-02', { range }),
  ]),
  ['until', custom('2026-05-02', '2026-05-01')],
  ['until', custom('2026-05-01T00:00:00Z', '2026-05-01T00:00:00Z')],
  ['until', custom('2026-05-01T00:00:00+02:00', '2026-04-30T22:00:00Z')],
  ['until', custom('2026-05-01T00:00:00.0001Z', '2026-05-01T00:00:00.0009Z')],
  ['until', custom('2026-03-29T02:30:00+01:00', '2026-03-29T03:30:00+02:00', { timezone: 'Europe/Berlin' })],
  ['until', custom('2024-05-01', '2026-05-01')],
  ['until', custom('2024-02-29', '2026-02-28')],
  ['until', custom('2024-05-01T00:00:00Z', '2026-05-01T00:00:00.001Z')],
  ['until', custom('2024-03-31T00:00:00+01:00', '2026-03-31T00:00:00+01:00', { timezone: 'Europe/Berlin' })],
];

/** Queries that are unusual, but valid for every analytics operation. */
export const ODD_QUERIES: readonly Query[] = [
  {},
  ...['utc', 'europe/berlin', 'AMERICA/NEW_YORK', 'Etc/GMT-14', 'GMT0', 'EST5EDT', 'US/Pacific', 'Asia/Calcutta'].map(
    (timezone) => ({ timezone }),
  ),
  // If a client does not escape the `+` of an offset, the service decodes it to a space.
  custom('2026-05-01T08:00:00 02:00', '2026-05-02'),
  custom('2026-05-01t08:00:00z', '2026-05-02T00:00:00.123456789012Z'),
  custom('2026-05-01T08:00:60Z', '2026-05-02T00:00:00-00:00'),
  custom('2026-05-01T08:00:00+14:00', '2026-05-01T08:00:00-12:00'),
  custom('2026-05-01', '2026-05-01'),
  custom('2026-05-01T00:00:00.000Z', '2026-05-01T00:00:00.001Z'),
  custom('2024-05-01', '2026-04-30'),
  custom('2024-02-29', '2026-02-27'),
  custom('2024-05-01T00:00:00Z', '2026-05-01T00:00:00Z'),
  custom('2030-01-01', '2030-12-31', { timezone: 'Europe/Berlin' }),
  custom('0001-01-01', '0001-12-31', { timezone: 'America/New_York' }),
  custom('9998-01-01', '9998-12-31', { timezone: 'Pacific/Apia' }),
  custom('2011-12-30', '2011-12-31', { timezone: 'Pacific/Apia' }),
  { ranges: '14d', zone: ['1', '2'], utm: '' },
  { surprise: '', __proto__x: 'a', constructor: 'b', toString: ['c', 'd'] },
  { utmCampaign: '%', utmTerm: "'; DROP TABLE x --", utmContent: '😀' },
  { utmSource: LONG, referrer: LONG },
  { referrer: 'no host at all' },
];
