import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { NewNotificationAddress, NotificationAddressResponse } from '../../../shared/notifications/address-schemas.ts';
import {
  CONFIRMATIONS_PER_DAY_AND_ADDRESS,
  CONFIRMATIONS_PER_DAY_AND_ORGANIZATION,
} from '../../../shared/notifications/create-address.ts';
import { CONFIRMATION_DAYS } from '../../../shared/notifications/link-token.ts';
import { ADDRESSES_MAX } from '../../../shared/notifications/notification-address.ts';
import { OrganizationPath } from '../../../shared/organizations/paths.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID } from '../../example-ids.ts';
import { EXAMPLE_ADDRESS } from '../operation-defaults.ts';

export const createAddressOperation = declareOperation('notifications/create-address', {
  route: 'POST /api/v2/organizations/{orgId}/notification-addresses',
  tag: 'Notifications',
  summary: 'Add a notification address',
  description: docText(
    'Sends a mail with a link to the address within about a minute. The address gets mails about leads after its',
    `recipient has confirmed it with that link, which is valid for ${CONFIRMATION_DAYS} days. For an address that is`,
    'not confirmed yet, stores the new properties and sends another mail. With the mode `each_lead`, a mail is sent',
    'about five minutes after the first submit of a lead. With `daily_digest`, a mail at 08:00 in `timeZone` lists the',
    `leads of a day. An organization can have at most ${ADDRESSES_MAX} addresses. Limits per UTC day:`,
    `${CONFIRMATIONS_PER_DAY_AND_ORGANIZATION} requests for an organization, ${CONFIRMATIONS_PER_DAY_AND_ADDRESS} for`,
    'an address.',
  ),
  auth: { role: 'admin' },
  body: 'json',
  request: { path: OrganizationPath, headers: IgnoredIdempotencyKeyHeaders, body: NewNotificationAddress },
  responses: { 201: NotificationAddressResponse },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID }, body: { address: 'leads@northlight.example', mode: 'each_lead' } },
    response: {
      ...EXAMPLE_ADDRESS,
      id: '86a8bef8-18d1-598b-aa82-262da8a8cd9c',
      address: 'leads@northlight.example',
    },
  }),
  errors: [400, 401, 403],
  grants: ['notification-addresses:change', 'notices:add', 'organizations:read', 'limits:consume', 'hash-secret:read'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
