import fc from 'fast-check';
import type { Asked } from './oracle-reads.ts';
import { CLIENTS, type Client, DAY_MS, HOUR_MS, MINUTE_MS, type SentEvent } from './sent-events.ts';

/**
 * Arbitraries for the events of two funnels. They have few different values, so that events share sessions and times,
 * and filters match.
 */

/** Ends a process at effect number `at`. `after`: the effect takes place, but the process gets no response. */
export type Crash = { at: number; when: 'before' | 'after' };

export type Visit = { agoMs: number; offset: string; event: Omit<SentEvent, 'timestamp'> };

export type Action =
  | { do: 'tick'; ms: number }
  | { do: 'send'; funnel: 0 | 1; client: Client; visits: Visit[] }
  /** Events are sent and delivered immediately, which is the most frequent case. */
  | { do: 'arrive'; funnel: 0 | 1; client: Client; visits: Visit[] }
  /** Skips the last `back` records and delivers the `count` records before them, possibly again. */
  | { do: 'deliver'; back: number; count: number; poisonAt: number | null; crash: Crash | null }
  | { do: 'resend all'; batch: number }
  | { do: 'minor' | 'major' | 'sweep'; crash: Crash | null }
  | { do: 'restart' };

export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'America/Santiago',
  'America/Havana',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Pacific/Apia',
  'America/St_Johns',
] as const;

/** Times close to clock changes in the zones above, and one other time. */
const MOMENTS = [
  '2026-03-29T00:59:59.999Z',
  '2026-10-25T00:40:00Z',
  '2026-04-04T15:10:00Z',
  '2026-10-03T15:31:00Z',
  '2026-04-23T22:05:00Z',
  '2025-09-07T04:20:00Z',
  '2025-11-02T05:15:00Z',
  '2026-05-31T12:00:00Z',
].map((text) => Date.parse(text));
export const someMoment = fc.constantFrom(...MOMENTS);

/** Ages of events. They include the limits for old events and for events in the future. */
const AGES_MS = [
  ...[0, 1, -1, 899_999, HOUR_MS, DAY_MS, 29 * DAY_MS, 30 * DAY_MS, 30 * DAY_MS + 1, 45 * DAY_MS],
  ...[-4 * MINUTE_MS, -5 * MINUTE_MS, -5 * MINUTE_MS - 1, -DAY_MS],
];
const someAge = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...AGES_MS) },
  fc.integer({ min: 0, max: 3 * 96 }).map((quarters) => quarters * 15 * MINUTE_MS),
  fc.integer({ min: 0, max: 2 * DAY_MS }),
);

const SESSIONS = ['s1', 's2', 's3', 'sé😀'];
/** Values of `utmSource`. The sort order of the last two values differs between UTF-16 and UTF-8. */
const MARKS = ['', 'news', 'News', "o'hara", '100%', 'ünï', '😀', '！'];
const PAYLOADS: NonNullable<SentEvent['payload']>[] = [
  {},
  { type: 'view' },
  { type: 'step_view' },
  { event: 'funnel_start' },
  { name: 'step_submit' },
  { type: 'complete' },
  { type: '', event: 'funnel_complete' },
  { type: 7, name: 'start' },
  { type: 'started', event: 'complete' },
];
const REFERRERS = [
  'https://www.a.example/x',
  'https://b.example:8443/?q=1',
  'https://shop.example/other',
  'http://B.example',
];
const PAGE = 'https://www.shop.example/landing';

const someEvent = fc.record(
  {
    eventId: fc.constantFrom('3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59', '5e0b4bd8-2f9e-4a60-9f6d-1f3f5b7f0a01'),
    sessionId: fc.constantFrom(...SESSIONS),
    stepIndex: fc.constantFrom(null, 0, 0, 1, 2),
    referrer: fc.constantFrom(null, '', ...REFERRERS),
    pageUrl: fc.constant(PAGE),
    utmSource: fc.constantFrom(null, ...MARKS),
    utmMedium: fc.constantFrom('', 'mail'),
    utmCampaign: fc.constantFrom('', 'spring'),
    utmTerm: fc.constantFrom('', 'blue'),
    utmContent: fc.constantFrom('', 'top'),
    payload: fc.constantFrom(...PAYLOADS),
  },
  { requiredKeys: ['eventId', 'sessionId', 'payload'] },
);
/** Invalid events. They must not be counted and must not affect other events. */
const someBadEvent = fc.constantFrom<Omit<SentEvent, 'timestamp'>>(
  { eventId: 'none', sessionId: 's1', payload: { type: 'complete' } },
  { eventId: '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59', sessionId: 's'.repeat(129) },
  { eventId: '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59', sessionId: 's1', stepIndex: '4' },
  {
    eventId: '3f2a9c1e-7b4d-4c8a-9e60-5d1f2b3c4a59',
    sessionId: 's2',
    funnelId: '00000000-0000-4000-8000-000000000000',
    payload: { type: 'start' },
  },
);
export const someVisit: fc.Arbitrary<Visit> = fc.record({
  agoMs: someAge,
  offset: fc.constantFrom('Z', '+05:45', '-03:30'),
  event: fc.oneof({ weight: 15, arbitrary: someEvent }, someBadEvent),
});

const someClient = fc.constantFrom(...(Object.keys(CLIENTS) as Client[]));
export const someCrash = fc.option(
  fc.record({ at: fc.integer({ min: 1, max: 9 }), when: fc.constantFrom('before' as const, 'after' as const) }),
);
const someUpkeep = (...kinds: ('minor' | 'major' | 'sweep')[]) =>
  fc.record({ do: fc.constantFrom(...kinds), crash: someCrash });

const JUMPS_MS = [1, 61_000, HOUR_MS, DAY_MS, 15 * DAY_MS, 45 * DAY_MS, -10 * MINUTE_MS, -2 * HOUR_MS];

const somethingSent = <D extends 'send' | 'arrive'>(how: D) =>
  fc.record({
    do: fc.constant(how),
    funnel: fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const),
    client: someClient,
    visits: fc.array(someVisit, { minLength: 1, maxLength: 4 }),
  });
const someDelivery = fc.record({
  do: fc.constant('deliver' as const),
  back: fc.nat(4),
  count: fc.integer({ min: 1, max: 5 }),
  poisonAt: fc.option(fc.nat(3), { freq: 4 }),
  crash: someCrash,
});

/** The weights make it likely that a history creates a base, changes sessions of the base, and creates a new base. */
export const someAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: somethingSent('arrive') },
  { weight: 2, arbitrary: somethingSent('send') },
  { weight: 2, arbitrary: someDelivery },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('resend all' as const), batch: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('tick' as const), ms: fc.constantFrom(...JUMPS_MS) }) },
  { weight: 9, arbitrary: someUpkeep('minor', 'minor', 'minor', 'major', 'major', 'sweep') },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);

/** Lists of 4 to `maxLength` elements. By default, fast-check would create only short lists. */
export const historyOf = <T>(something: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> =>
  fc.array(something, { minLength: 4, maxLength, size: 'max' });

const someFilter: fc.Arbitrary<Asked['filters']> = fc.oneof(
  fc.constantFrom('direct', 'a.example', 'b.example').map((referrer) => ({ referrer })),
  fc.constantFrom(...MARKS.slice(1)).map((utmSource) => ({ utmSource })),
  fc.constantFrom({ utmMedium: 'mail' }, { utmCampaign: 'spring' }, { utmTerm: 'blue' }, { utmContent: 'top' }),
  fc.constantFrom('mobile', 'tablet', 'desktop').map((deviceType) => ({ deviceType })),
  fc.constantFrom('safari', 'chrome', 'other').map((browser) => ({ browser })),
  fc.constantFrom('ios', 'windows', 'other').map((os) => ({ os })),
);
/** Mostly no filter or one filter, because few sessions match two filters. */
const fewFilters = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: someFilter },
  { weight: 1, arbitrary: fc.tuple(someFilter, someFilter).map(([one, other]) => ({ ...one, ...other })) },
);

export type Question = Omit<Asked, 'since' | 'until'> & { fromQuarters: number; quarters: number; whole: boolean };

/** The query of a read. The bounds of a custom range are relative to the time of the read. */
export const someQuestion: fc.Arbitrary<Question> = fc
  .record({
    range: fc.constantFrom<Asked['range'][]>(
      'today',
      'yesterday',
      '7d',
      '30d',
      '90d',
      'all',
      'all',
      'custom',
      'custom',
    ),
    timezone: fc.constantFrom(...ZONES),
    granularity: fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
    filters: fewFilters,
    fromQuarters: fc.integer({ min: -40 * 96, max: 96 }),
    quarters: fc.integer({ min: 1, max: 20 * 96 }),
    whole: fc.boolean(),
  })
  .map((query) => (query.granularity === 'hour' ? { ...query, ...fewHours(query) } : query));

/** Shortens the range of an hourly timeseries, because the oracle is slow for many hours. */
const fewHours = ({ range, quarters }: Pick<Question, 'range' | 'quarters'>): Partial<Question> => ({
  quarters: Math.ceil(quarters / 6),
  ...(['30d', '90d', 'all'].includes(range) && { range: '7d' }),
});

export function askedAt({ fromQuarters, quarters, whole, ...query }: Question, nowMs: number): Asked {
  if (query.range !== 'custom') return query;
  const sinceMs = nowMs + fromQuarters * 15 * MINUTE_MS;
  const [since, until] = [sinceMs, sinceMs + quarters * 15 * MINUTE_MS].map((ms) => {
    const text = new Date(ms).toISOString();
    return whole ? text.slice(0, 10) : text;
  });
  return { ...query, ...(since && { since }), ...(until && { until }) };
}

export const timestampOf = (ms: number, offset: string): string => {
  if (offset === 'Z') return new Date(ms).toISOString();
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  const aheadMs = (offset.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * MINUTE_MS);
  return new Date(ms + aheadMs).toISOString().replace('Z', offset);
};
