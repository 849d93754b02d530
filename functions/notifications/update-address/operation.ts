import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import {
  NotificationAddressChanges,
  NotificationAddressResponse,
} from '../../../shared/notifications/address-schemas.ts';
import { declareOperation } from '../../declare-operation.ts';
import { NOTIFICATION_ADDRESS_ID, ORGANIZATION_ID } from '../../example-ids.ts';
import { AddressPath, EXAMPLE_ADDRESS } from '../operation-defaults.ts';

export const updateAddressOperation = declareOperation('notifications/update-address', {
  route: 'PATCH /api/v2/organizations/{orgId}/notification-addresses/{addressId}',
  tag: 'Notifications',
  summary: 'Change a notification address',
  description: docText(
    'Replaces the given properties, and keeps all others. To change the address itself, add another one. A new `mode`',
    'also applies to leads about which no mail was sent yet. After a change to `each_lead`, the mails about these leads',
    'are sent when the mail about the next lead is due, at the latest at the time of the next digest.',
  ),
  auth: { role: 'admin' },
  body: 'json',
  request: { path: AddressPath, headers: IgnoredIdempotencyKeyHeaders, body: NotificationAddressChanges },
  responses: { 200: NotificationAddressResponse },
  examples: docsOnly({
    request: {
      path: { orgId: ORGANIZATION_ID, addressId: NOTIFICATION_ADDRESS_ID },
      body: { mode: 'daily_digest' },
    },
    response: { ...EXAMPLE_ADDRESS, mode: 'daily_digest', updatedAt: '2026-03-03T10:00:00.000Z' },
  }),
  errors: [400, 401, 403, 404],
  grants: ['notification-addresses:change'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
