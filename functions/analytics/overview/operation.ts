import { AnalyticsQuery } from '../../../shared/analytics/reads/analytics-query.ts';
import { Overview } from '../../../shared/analytics/reads/overview.ts';
import { doc } from '../../../shared/http/doc.ts';
import { operation } from '../../../shared/http/operation.ts';
import { OrgFunnelPath } from '../../../shared/http/organization-paths.ts';

export const overview = operation('analytics/overview', {
  route: 'GET /api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/overview',
  tag: 'Analytics',
  summary: 'Read how a funnel does, by device',
  description: doc(
    'A session counts in the range of its first event, with that event’s referrer, campaign and device. Filters are combined with AND. An archived funnel is still readable.',
  ),
  auth: { role: 'member' },
  body: 'none',
  request: { path: OrgFunnelPath, query: AnalyticsQuery },
  replies: { 200: Overview },
  errors: [400, 401, 403, 404, 429, 500],
  grants: ['organizations:read', 'facts:read'],
  limits: { timeoutSeconds: 29, memoryMb: 1_769, perMinutePerUser: 240 },
  duckdb: true,
});
