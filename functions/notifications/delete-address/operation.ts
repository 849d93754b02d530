import * as z from 'zod/mini';
import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { declareOperation } from '../../declare-operation.ts';
import { NOTIFICATION_ADDRESS_ID, ORGANIZATION_ID } from '../../example-ids.ts';
import { AddressPath } from '../operation-defaults.ts';

export const deleteAddressOperation = declareOperation('notifications/delete-address', {
  route: 'DELETE /api/v2/organizations/{orgId}/notification-addresses/{addressId}',
  tag: 'Notifications',
  summary: 'Delete a notification address',
  description: docText('The address gets no further mails. If it is added again, its recipient must confirm it again.'),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: AddressPath, headers: IgnoredIdempotencyKeyHeaders },
  responses: { 200: z.object({ success: z.boolean() }) },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, addressId: NOTIFICATION_ADDRESS_ID } },
    response: { success: true },
  }),
  errors: [400, 401, 403, 404],
  grants: ['notification-addresses:change'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
