import { Acquisition } from '../../../shared/analytics/reads/acquisition.ts';
import { AnalyticsQuery } from '../../../shared/analytics/reads/analytics-query.ts';
import { operation } from '../../../shared/http/operation.ts';
import { OrgFunnelPath } from '../../../shared/http/organization-paths.ts';
import { ANALYTICS_READ, COUNTED } from '../declared-read.ts';

export const acquisition = operation('analytics/acquisition', {
  ...ANALYTICS_READ,
  route: 'GET /api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/acquisition',
  summary: 'Read when sessions arrive and where they come from',
  description: COUNTED,
  request: { path: OrgFunnelPath, query: AnalyticsQuery },
  replies: { 200: Acquisition },
  revalidates: { apartFrom: [] },
});
