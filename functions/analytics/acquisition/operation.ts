import { Acquisition } from '../../../shared/analytics/reads/acquisition.ts';
import { AnalyticsQuery } from '../../../shared/analytics/reads/analytics-query.ts';
import { shown } from '../../../shared/http/doc.ts';
import { operation } from '../../../shared/http/operation.ts';
import { OrgFunnelPath } from '../../../shared/http/organization-paths.ts';
import { FUNNEL_ID, ORGANIZATION_ID } from '../../example-ids.ts';
import { ANALYTICS_READ, COUNTED } from '../declared-read.ts';

/** All 168 hours of a week. */
const exampleHours = () =>
  Array.from({ length: 168 }, (_, index) => ({ weekday: Math.floor(index / 24), hour: index % 24, sessions: 0 }));

export const acquisition = operation('analytics/acquisition', {
  ...ANALYTICS_READ,
  route: 'GET /api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/acquisition',
  summary: 'Read when sessions arrive and where they come from',
  description: COUNTED,
  request: { path: OrgFunnelPath, query: AnalyticsQuery },
  replies: { 200: Acquisition },
  examples: shown({
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
  revalidates: { apartFrom: [] },
});
