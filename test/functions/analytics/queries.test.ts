import { describe, expect, test } from 'vitest';
import { ANALYTICS_READS, type Query } from '../../support/analytics/analytics-api.ts';
import { ODD_QUERIES, WRONG_QUERIES } from '../../support/analytics/analytics-queries.ts';

const ignoring = ANALYTICS_READS.filter(({ name }) => name !== 'timeseries');
const shown = (query: Query) => JSON.stringify(query).slice(0, 100);

test('the tests use more than 60 different wrong queries', () => {
  expect(new Set(WRONG_QUERIES.map(([, query]) => JSON.stringify(query))).size).toBe(WRONG_QUERIES.length);
  expect(WRONG_QUERIES.length).toBeGreaterThan(60);
});

describe.each(ANALYTICS_READS)('$name', ({ setUp }) => {
  test.each(WRONG_QUERIES.map(([name, query]) => [name, shown(query), query] as const))(
    '400: the message names only the parameter %s of the query %s, and no facts are read',
    async (name, _, query) => {
      const { get, reads } = await setUp();
      const { status, body, text } = await get(query);
      expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
      expect((body as { error: { message: string } }).error.message).toMatch(new RegExp(`^query\\.${name} [^;]+\\.$`));
      expect(text.length).toBeLessThan(300);
      expect(reads).toEqual([]);
    },
  );

  test.each(ODD_QUERIES.map((query) => [shown(query), query] as const))(
    '200: accepts the unusual query %s',
    async (_, query) => {
      const { get } = await setUp();
      expect(await get(query)).toMatchObject({ status: 200 });
    },
  );

  test('400: the message names all invalid parameters', async () => {
    const { get } = await setUp();
    const { status, body } = await get({ range: '14d', timezone: 'Mars/Base', os: 'beos' });
    expect(status).toBe(400);
    const { message } = (body as { error: { message: string } }).error;
    expect(message.match(/query\.\w+/g)).toEqual(['query.range', 'query.timezone', 'query.os']);
  });
});

test.each(ignoring)('200: $name ignores the parameter granularity, whether it is valid or not', async ({ setUp }) => {
  const { get } = await setUp();
  for (const granularity of ['hour', 'minute', '', ['day', 'day']])
    expect((await get({ range: '90d', granularity })).status).toBe(200);
});
