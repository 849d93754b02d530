import { EVENT_BYTES_MAX, EventBatch } from '../../../shared/analytics/ingest/event.ts';
import { IngestReceipt } from '../../../shared/analytics/ingest/ingest-events.ts';
import { FunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { FUNNEL_ID } from '../../example-ids.ts';

export const ingestAnalyticsOperation = declareOperation('funnel/ingest-analytics', {
  route: 'POST /api/v2/public/funnel/{id}/analytics',
  // Pages use this path, because content blockers refuse URLs that end in /analytics.
  alternativePath: '/api/v2/public/funnel/{id}/e',
  tag: 'Funnel',
  summary: 'Send a batch of analytics events',
  description: docText(
    '200 means that every accepted event is stored durably. An event that is invalid, or has more than',
    `${EVENT_BYTES_MAX} bytes as compact JSON, is listed in \`rejected\`. It does not affect the other events.`,
    "Sending an event again is harmless. Device, browser and operating system are derived from the request's",
    'User-Agent and client hints. Events of crawlers and headless browsers are accepted, but analytics do not',
    'count them. Null has the same meaning as an absent property.',
  ),
  auth: 'public',
  // Also accepts text/plain, because a request with this content type needs no CORS preflight, and `sendBeacon` uses it
  // for strings.
  body: 'json-beacon',
  request: { path: FunnelPath, body: EventBatch },
  responses: { 200: IngestReceipt },
  examples: docsOnly({
    request: {
      path: { id: FUNNEL_ID },
      body: {
        events: [
          {
            eventId: '0f0e3b58-6c59-4b0e-9c53-0b6b7c2f7d31',
            sessionId: 'session-1',
            timestamp: '2026-03-02T09:30:00.000Z',
            pageUrl: 'https://roofs.northlight.example/solar',
            utmSource: 'newsletter',
            stepId: 'project',
            stepIndex: 0,
            payload: { type: 'step_view' },
          },
        ],
      },
    },
    response: { received: 1 },
  }),
  errors: [400, 403, 404, 503],
  grants: ['funnels:read', 'events:put'],
  limits: { timeoutSeconds: 10, memoryMb: 512, wafPerMinutePerIp: 600 },
  credentialedCors: true,
});
