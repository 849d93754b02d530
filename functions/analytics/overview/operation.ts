import { AnalyticsQuery } from '../../../shared/analytics/reads/analytics-query.ts';
import { Overview } from '../../../shared/analytics/reads/overview.ts';
import { operation } from '../../../shared/http/operation.ts';
import { OrgFunnelPath } from '../../../shared/http/organization-paths.ts';
import { ANALYTICS_READ, COUNTED } from '../declared-read.ts';

export const overview = operation('analytics/overview', {
  ...ANALYTICS_READ,
  route: 'GET /api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/overview',
  summary: 'Read how a funnel does, by device',
  description: COUNTED,
  request: { path: OrgFunnelPath, query: AnalyticsQuery },
  replies: { 200: Overview },
  revalidates: { apartFrom: [] },
});
