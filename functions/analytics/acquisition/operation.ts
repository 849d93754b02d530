import { Acquisition } from '../../../shared/analytics/queries/acquisition.ts';
import { AnalyticsQuery } from '../../../shared/analytics/queries/analytics-query.ts';
import { OrganizationFunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { FUNNEL_ID, ORGANIZATION_ID } from '../../example-ids.ts';
import { ANALYTICS_OPERATION_DEFAULTS, SESSION_COUNTING_NOTE } from '../operation-defaults.ts';

const exampleHours = () =>
  Array.from({ length: 168 }, (_, index) => ({ weekday: Math.floor(index / 24), hour: index % 24, sessions: 0 }));

export const acquisitionOperation = declareOperation('analytics/acquisition', {
  ...ANALYTICS_OPERATION_DEFAULTS,
  route: 'GET /api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/acquisition',
  summary: 'Read when sessions begin and where they come from',
  description: SESSION_COUNTING_NOTE,
  request: { path: OrganizationFunnelPath, query: AnalyticsQuery },
  responses: { 200: Acquisition },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, funnelId: FUNNEL_ID }, query: { range: '30d', deviceType: 'mobile' } },
    response: {
      hours: /* @__PURE__ */ exampleHours(),
      browsers: [{ browser: 'safari', total: 90 }],
      oses: [{ os: 'ios', total: 90 }],
      referrers: [
        { referrer: 'direct', total: 60 },
        { referrer: 'search.example', total: 30 },
      ],
      utmSources: [{ value: 'newsletter', total: 25 }],
      utmMediums: [{ value: 'email', total: 25 }],
      utmCampaigns: [{ value: 'spring', total: 25 }],
      utmTerms: [],
      utmContents: [],
    },
  }),
  etag: { ignoredProperties: [] },
});
