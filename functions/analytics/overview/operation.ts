import { AnalyticsQuery } from '../../../shared/analytics/queries/analytics-query.ts';
import { Overview } from '../../../shared/analytics/queries/overview.ts';
import { OrganizationFunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { FUNNEL_ID, ORGANIZATION_ID } from '../../example-ids.ts';
import { ANALYTICS_OPERATION_DEFAULTS, SESSION_COUNTING_NOTE } from '../operation-defaults.ts';

export const overviewOperation = declareOperation('analytics/overview', {
  ...ANALYTICS_OPERATION_DEFAULTS,
  route: 'GET /api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/overview',
  summary: 'Read the counts of a funnel, by device',
  description: SESSION_COUNTING_NOTE,
  request: { path: OrganizationFunnelPath, query: AnalyticsQuery },
  responses: { 200: Overview },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, funnelId: FUNNEL_ID }, query: { range: '7d', utmSource: 'newsletter' } },
    response: {
      overview: { totalStarts: 120, totalCompletions: 42, conversionRate: 35 },
      devices: [
        { deviceType: 'mobile', total: 150, starts: 90, completions: 30 },
        { deviceType: 'tablet', total: 10, starts: 5, completions: 2 },
        { deviceType: 'desktop', total: 40, starts: 25, completions: 10 },
      ],
    },
  }),
  etag: { ignoredProperties: [] },
});
