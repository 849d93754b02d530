import { expect, test } from 'vitest';
import { createAnalyticsEndpoint } from '../../../functions/analytics/analytics-endpoint.ts';
import { timeseriesOperation } from '../../../functions/analytics/timeseries/operation.ts';
import type { AnalyticsCriteria } from '../../../shared/analytics/queries/resolve-criteria.ts';
import { aFact } from '../../support/analytics/analytics.ts';
import { ANALYTICS_READS, analyticsApi } from '../../support/analytics/analytics-api.ts';

const FACTS = [
  aFact({ sessionKey: 1n, utmSource: 'café', started: true, referrer: 'xn--caf-dma.example' }),
  aFact({ sessionKey: 2n, utmSource: 'tea', started: true, referrer: 'tea.example' }),
];

test.each(ANALYTICS_READS)(
  '200: a filter of $name matches the stored dimension even if the filter is not in normalized form',
  async ({ setUp }) => {
    const { get } = await setUp({ facts: FACTS });
    const all = await get({ range: '7d' });
    for (const [stored, written] of [
      [{ utmSource: 'café' }, { utmSource: ' cafe\u0301\t' }],
      [{ referrer: 'xn--caf-dma.example' }, { referrer: 'cafe\u0301.example ' }],
      [{ referrer: 'xn--caf-dma.example' }, { referrer: ' https://cafe\u0301.example/a' }],
    ] as Record<string, string>[][]) {
      const filtered = await get({ range: '7d', ...stored });
      expect(filtered.status).toBe(200);
      expect(filtered.body).not.toEqual(all.body);
      expect((await get({ range: '7d', ...written })).body).toEqual(filtered.body);
    }
  },
);

test('the filters of a read do not include range, timezone and granularity', async () => {
  const given: AnalyticsCriteria[] = [];
  const { get } = await analyticsApi(timeseriesOperation, (ports) =>
    createAnalyticsEndpoint(timeseriesOperation, ports, async (_ports, _funnelId, criteria) => {
      given.push(criteria);
      throw new Error('The test needs no response.');
    }),
  );
  await get({ range: '7d', timezone: 'UTC', granularity: 'day', os: 'linux' });
  expect(given.map(({ filters }) => filters)).toEqual([{ os: 'linux' }]);
});
