import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { aFact, DAY_MS, MAY_31 } from '../../support/analytics/analytics.ts';
import { ANALYTICS_READS, type Query, TEN_O_CLOCK } from '../../support/analytics/analytics-api.ts';
import { REQUEST_ID } from '../../support/http.ts';

const HOUR_MS = 3_600_000;
const TODAY: Query = { range: 'today' };
const facts = [aFact({ firstTimeMs: MAY_31 + HOUR_MS, started: true })];

afterEach(() => vi.unstubAllEnvs());

describe.each(ANALYTICS_READS)('$name', ({ name, setUp }) => {
  const tagged = async (given: Parameters<typeof setUp>[0] = { facts }) => {
    const api = await setUp({ now: TEN_O_CLOCK + 1_000, ...given });
    const tag = async (query: Query = TODAY) => (await api.get(query)).headers.etag ?? 'none';
    const again = async (ifNoneMatch: string, query: Query = TODAY) =>
      (await api.get(query, { 'If-None-Match': ifNoneMatch })).status;
    return { ...api, tag, again };
  };

  test('200: the response is private, has a weak ETag, and must be revalidated each time', async () => {
    const { get } = await tagged();
    const { status, headers } = await get(TODAY);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      vary: 'Authorization, Origin',
    });
  });

  test('304: the response has a new request id, no body, no Content-Type, and otherwise the headers of the full response', async () => {
    vi.stubEnv('CORS_ORIGINS', 'https://app.example');
    const { get, tag } = await tagged();
    const full = await get(TODAY);
    const { status, text, headers } = await get(TODAY, { 'If-None-Match': await tag() });
    expect({ status, text }).toEqual({ status: 304, text: '' });
    const { 'content-type': type, 'x-request-id': id, ...others } = full.headers;
    expect(headers).toEqual({ ...others, 'x-request-id': expect.stringMatching(REQUEST_ID) });
    expect(headers['x-request-id']).not.toBe(id);
    expect(headers['access-control-allow-origin']).toBe('https://app.example');
  });

  test('304: If-None-Match may be `*` or a list that contains the tag; a strong tag and blanks are accepted', async () => {
    const { tag, again } = await tagged();
    const weak = await tag();
    const strong = weak.replace('W/', '');
    for (const condition of [`"a", ${weak}`, `${weak},W/"b"`, strong, ` ${strong} `, `W/"a",\t${strong}`, '*', ' * '])
      expect([condition, await again(condition)]).toEqual([condition, 304]);
  });

  test('200: the response is complete if If-None-Match has another tag, a part of the tag, or no valid tag', async () => {
    const { tag, again } = await tagged();
    const weak = await tag();
    for (const condition of [
      '',
      '""',
      'W/""',
      '"*"',
      '*,',
      weak.slice(3, -1),
      weak.slice(0, -1),
      `w/${weak.slice(2)}`,
      ',,,',
      '"'.repeat(9_000),
    ])
      expect([condition, await again(condition)]).toEqual([condition, 200]);
  });

  test.each(['today', '7d', '30d', '90d', 'all'])(
    '304: if no session is added, the tag of the range %s stays valid for the rest of the hour',
    async (range) => {
      const { tag, again, clock } = await tagged();
      const before = await tag({ range });
      clock.ms += 58 * 60_000;
      expect(await again(before, { range })).toBe(304);
    },
  );

  test('200: the tag changes when a session in the range is added', async () => {
    const { tag, again, add } = await tagged();
    const before = await tag();
    await add(aFact({ sessionKey: 2n, firstTimeMs: MAY_31 + 2 * HOUR_MS, started: true }));
    expect(await again(before)).toBe(200);
    expect(await tag()).not.toBe(before);
  });

  test('304: the tag stays valid when a session outside the range is added', async () => {
    const { tag, again, add } = await tagged();
    const before = await tag();
    await add(aFact({ sessionKey: 2n, firstTimeMs: MAY_31 - 40 * DAY_MS, started: true }));
    expect(await again(before)).toBe(304);
  });

  test('different queries, time zones and funnels have different tags', async () => {
    const { tag, get } = await tagged({});
    const queries: Query[] = [
      TODAY,
      { range: '7d' },
      { ...TODAY, timezone: 'UTC' },
      { ...TODAY, timezone: 'Africa/Abidjan' },
      { ...TODAY, os: 'ios' },
      { ...TODAY, utmTerm: 'ios' },
    ];
    const tags = await Promise.all(queries.map((query) => tag(query)));
    expect(new Set(tags).size).toBe(queries.length);
    const other = await tagged({});
    expect(await other.tag()).not.toBe(tags[0]);
    expect((await get(TODAY, { 'If-None-Match': await other.tag() })).status).toBe(200);
  });

  test('error responses have "Cache-Control: no-store" and no ETag', async () => {
    const { get } = await tagged();
    for (const [query, path] of [
      [{ range: '14d' }, {}],
      [TODAY, { funnelId: randomUUID() }],
    ] as const) {
      const { status, headers } = await get(query, { 'If-None-Match': '*' }, path);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers).toMatchObject({ 'cache-control': 'no-store' });
      expect(headers.etag).toBeUndefined();
    }
  });

  test(`200: the tag changes when ${name === 'timeseries' ? 'a new bucket begins' : 'the day ends'}`, async () => {
    const { tag, again, clock } = await tagged();
    const before = await tag();
    clock.ms = name === 'timeseries' ? TEN_O_CLOCK + HOUR_MS + 1 : MAY_31 + DAY_MS;
    expect(await again(before)).toBe(200);
  });
});
