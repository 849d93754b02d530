import { expect, test } from 'vitest';
import { aFact } from '../../support/analytics/analytics.ts';
import { ANALYTICS_READS } from '../../support/analytics/analytics-api.ts';

const FACTS = [
  aFact({ sessionKey: 1n, utmSource: 'café', started: true, referrer: 'xn--caf-dma.example' }),
  aFact({ sessionKey: 2n, utmSource: 'tea', started: true, referrer: 'tea.example' }),
];

test.each(ANALYTICS_READS)(
  '200: $name normalizes a filter in the same way as the stored dimensions',
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
