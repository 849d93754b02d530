import * as z from 'zod/mini';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { EXAMPLE_PAGE, EXAMPLE_TOKEN, LinkPath } from '../operation-defaults.ts';

export const followLinkOperation = declareOperation('notifications/follow-link', {
  route: 'POST /api/v2/public/notifications/{token}',
  tag: 'Notifications',
  summary: 'Confirm an address, or unsubscribe',
  description: docText(
    'Does what the link is for, and responds with a page that says so. Mail programs send this request, without login,',
    'to unsubscribe (RFC 8058). The body is ignored. A repeated request has no further effect.',
  ),
  auth: 'public',
  body: 'none',
  isPage: true,
  request: { path: LinkPath },
  responses: { 200: z.string() },
  examples: docsOnly({ request: { path: { token: EXAMPLE_TOKEN } }, response: EXAMPLE_PAGE }),
  errors: [400, 503],
  grants: ['notification-secret:read', 'organizations:read', 'notification-addresses:answer'],
  limits: { timeoutSeconds: 10, memoryMb: 512, wafPerMinutePerIp: 60 },
});
