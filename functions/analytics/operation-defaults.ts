import { docText } from '../../shared/http/schema-docs.ts';
import type { ServiceOperationSpec } from '../define-operation.ts';

/** What the analytics reads declare alike. */
export const ANALYTICS_OPERATION_DEFAULTS = {
  tag: 'Analytics',
  auth: { role: 'member' },
  body: 'none',
  errors: [400, 401, 403, 404, 429, 500],
  grants: ['organizations:read', 'facts:read'],
  limits: { timeoutSeconds: 29, memoryMb: 1_769, perMinutePerUser: 240 },
  duckdb: true,
} as const satisfies Partial<ServiceOperationSpec>;

export const SESSION_COUNTING_NOTE = docText(
  'A session counts in the range of its first event, with that event’s referrer, campaign and device. Filters are combined with AND. An archived funnel is still readable.',
);
