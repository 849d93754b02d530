import * as z from 'zod/mini';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { NotificationAddressResponse } from '../../../shared/notifications/address-schemas.ts';
import { OrganizationPath } from '../../../shared/organizations/paths.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID } from '../../example-ids.ts';
import { EXAMPLE_ADDRESS } from '../operation-defaults.ts';

export const listAddressesOperation = declareOperation('notifications/list-addresses', {
  route: 'GET /api/v2/organizations/{orgId}/notification-addresses',
  tag: 'Notifications',
  summary: 'List notification addresses',
  description: docText('All notification addresses of the organization, oldest first.'),
  auth: { role: 'admin' },
  body: 'none',
  request: { path: OrganizationPath },
  responses: { 200: z.object({ addresses: z.array(NotificationAddressResponse) }) },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID } },
    response: { addresses: [EXAMPLE_ADDRESS] },
  }),
  errors: [400, 401, 403],
  grants: ['notification-addresses:read'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 240 },
});
