import { TimeseriesQuery } from '../../../shared/analytics/reads/analytics-query.ts';
import { Timeseries } from '../../../shared/analytics/reads/timeseries.ts';
import { doc, shown } from '../../../shared/http/doc.ts';
import { operation } from '../../../shared/http/operation.ts';
import { OrgFunnelPath } from '../../../shared/http/organization-paths.ts';
import { FUNNEL_ID, ORGANIZATION_ID } from '../../example-ids.ts';
import { ANALYTICS_READ, COUNTED } from '../declared-read.ts';

export const timeseries = operation('analytics/timeseries', {
  ...ANALYTICS_READ,
  route: 'GET /api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/timeseries',
  summary: 'Read how a funnel does over time',
  description: COUNTED + doc(' Its start and completion count in the bucket of that event, whenever they came.'),
  request: { path: OrgFunnelPath, query: TimeseriesQuery },
  replies: { 200: Timeseries },
  examples: shown({
    request: {
      path: { orgId: ORGANIZATION_ID, funnelId: FUNNEL_ID },
      query: { range: 'custom', since: '2026-03-01', until: '2026-03-02', granularity: 'day' },
    },
    response: {
      granularity: 'day',
      since: '2026-03-01T00:00:00+01:00',
      until: '2026-03-03T00:00:00+01:00',
      points: [
        { bucket: '2026-03-01T00:00:00+01:00', starts: 20, completions: 8, conversionRate: 40 },
        { bucket: '2026-03-02T00:00:00+01:00', starts: 0, completions: 0, conversionRate: 0 },
      ],
    },
  }),
  revalidates: { apartFrom: ['until'] },
});
