import { docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { LINK_OPERATION } from '../operation-defaults.ts';

export const showLinkOperation = declareOperation('notifications/show-link', {
  ...LINK_OPERATION,
  route: 'GET /api/v2/public/notifications/{token}',
  summary: 'Show the page of a link in a mail',
  description: docText(
    'A page in the language of `Accept-Language` (German or English) with a button that confirms the address, or stops',
    'the mails to it. This request changes nothing, because mail scanners open every link. The page says if the link',
    'is not valid.',
  ),
  grants: ['notification-secret:read', 'organizations:read'],
});
