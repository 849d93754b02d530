import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { LeadNoticesEraser } from '../ports.ts';
import { createDynamoAddressReader } from './dynamo-address-repository.ts';
import { leadNoticeKey } from './notifications-table.ts';

/**
 * Removes the notices about a lead from the current addresses of the organization. Notices of removed addresses can
 * stay, and so can notices that are added during the erasure. Such notices contain only ids and times, and are dropped
 * when they are due.
 */
export const createDynamoLeadNoticesEraser = (): LeadNoticesEraser => ({
  erase: async ({ orgId, ...lead }) => {
    const TableName = requireSetting('notificationsTable');
    for (const { id } of await createDynamoAddressReader().list(orgId)) {
      await dynamoDocumentClient().send(new DeleteCommand({ TableName, Key: leadNoticeKey(id, lead) }));
    }
  },
});
