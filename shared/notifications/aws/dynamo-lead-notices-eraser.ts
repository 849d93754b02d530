import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { LeadNoticesEraser } from '../ports.ts';
import { createDynamoAddressReader } from './dynamo-address-repository.ts';
import { leadNoticeKey } from './notifications-table.ts';

/**
 * Removes the notices from the current addresses of the organization. A notice of a removed address, or one that is
 * added during the erasure, is dropped when it is due, because the lead no longer exists. Such a notice contains only
 * ids.
 */
export const createDynamoLeadNoticesEraser = (): LeadNoticesEraser => ({
  erase: async ({ orgId, ...lead }) => {
    const TableName = requireSetting('notificationsTable');
    for (const { id } of await createDynamoAddressReader().list(orgId)) {
      await dynamoDocumentClient().send(new DeleteCommand({ TableName, Key: leadNoticeKey(id, lead) }));
    }
  },
});
