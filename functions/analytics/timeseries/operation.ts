import { TimeseriesQuery } from '../../../shared/analytics/queries/analytics-query.ts';
import { Timeseries } from '../../../shared/analytics/queries/timeseries.ts';
import { OrganizationFunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { FUNNEL_ID, ORGANIZATION_ID } from '../../example-ids.ts';
import { ANALYTICS_OPERATION_DEFAULTS, SESSION_COUNTING_NOTE } from '../operation-defaults.ts';

export const timeseriesOperation = declareOperation('analytics/timeseries', {
  ...ANALYTICS_OPERATION_DEFAULTS,
  route: 'GET /api/v2/organizations/{orgId}/funnels/{funnelId}/analytics/timeseries',
  summary: 'Read the counts of a funnel over time',
  description:
    SESSION_COUNTING_NOTE +
    docText(' The start and completion of a session are counted in the bucket of its first event.'),
  request: { path: OrganizationFunnelPath, query: TimeseriesQuery },
  responses: { 200: Timeseries },
  examples: docsOnly({
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
  etag: { ignoredProperties: ['until'] },
});
