import { docText } from '../../shared/http/schema-docs.ts';
import type { ServiceOperationDeclaration } from '../declare-operation.ts';

export const ANALYTICS_OPERATION_DEFAULTS = {
  tag: 'Analytics',
  auth: { role: 'member' },
  body: 'none',
  errors: [400, 401, 403, 404],
  grants: ['organizations:read', 'funnels:read', 'facts:read'],
  limits: { timeoutSeconds: 29, memoryMb: 1_769, perMinutePerUser: 240 },
  duckdb: true,
} as const satisfies Partial<ServiceOperationDeclaration>;

export const SESSION_COUNTING_NOTE = docText(
  'A session is counted in the time range that contains its first event, with the referrer, campaign and device of',
  'that event. Only sessions that match all filters are counted. The analytics of an archived funnel can still be',
  'read.',
);
