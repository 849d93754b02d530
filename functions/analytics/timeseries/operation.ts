import { TimeseriesQuery } from '../../../shared/analytics/reads/analytics-query.ts';
import { Timeseries } from '../../../shared/analytics/reads/timeseries.ts';
import { doc } from '../../../shared/http/doc.ts';
import { operation } from '../../../shared/http/operation.ts';
import { OrgFunnelPath } from '../../../shared/http/organization-paths.ts';
import { ANALYTICS_READ, COUNTED } from '../declared-read.ts';

export const timeseries = operation('analytics/timeseries', {
  ...ANALYTICS_READ,
  route: 'GET /api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/timeseries',
  summary: 'Read how a funnel does over time',
  description: COUNTED + doc(' Its start and completion count in the bucket of that event, whenever they came.'),
  request: { path: OrgFunnelPath, query: TimeseriesQuery },
  replies: { 200: Timeseries },
  revalidates: { apartFrom: ['until'] },
});
