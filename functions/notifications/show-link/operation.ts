import * as z from 'zod/mini';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { EXAMPLE_PAGE, EXAMPLE_TOKEN, LinkPath } from '../operation-defaults.ts';

export const showLinkOperation = declareOperation('notifications/show-link', {
  route: 'GET /api/v2/public/notifications/{token}',
  tag: 'Notifications',
  summary: 'Show the page of a link in a mail',
  description: docText(
    'A page in the language of `Accept-Language` (German or English) with a button that confirms the address, or stops',
    'the mails to it. This request changes nothing, because mail scanners open every link. The page says if the link',
    'is not valid.',
  ),
  auth: 'public',
  body: 'none',
  isPage: true,
  request: { path: LinkPath },
  responses: { 200: z.string() },
  examples: docsOnly({ request: { path: { token: EXAMPLE_TOKEN } }, response: EXAMPLE_PAGE }),
  errors: [400, 503],
  grants: ['notification-secret:read', 'organizations:read'],
  limits: { timeoutSeconds: 10, memoryMb: 512, wafPerMinutePerIp: 60 },
});
