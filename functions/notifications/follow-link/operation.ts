import { docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { LINK_OPERATION } from '../operation-defaults.ts';

export const followLinkOperation = declareOperation('notifications/follow-link', {
  ...LINK_OPERATION,
  route: 'POST /api/v2/public/notifications/{token}',
  summary: 'Confirm an address, or unsubscribe',
  description: docText(
    'Confirms or unsubscribes the address, depending on the link, and responds with a page that says so. Mail programs send this request, without login,',
    'to unsubscribe (RFC 8058). The body is ignored. A repeated request has no further effect.',
  ),
  grants: ['notification-secret:read', 'organizations:read', 'notification-addresses:answer'],
});
