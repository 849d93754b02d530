import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { LeadNoticesEraser } from '../ports.ts';
import { createDynamoAddressReader } from './dynamo-address-repository.ts';
import { leadNoticeKey } from './notifications-table.ts';

/**
 * Notices contain only ids. A notice that is added at the same time, or of a removed address, is dropped when it is due,
 * because the lead no longer exists.
 */
export const createDynamoLeadNoticesEraser = (): LeadNoticesEraser => ({
  erase: async ({ orgId, ...lead }) => {
    const TableName = requireSetting('notificationsTable');
    for (const { id } of await createDynamoAddressReader().list(orgId)) {
      await dynamoDocumentClient().send(new DeleteCommand({ TableName, Key: leadNoticeKey(id, lead) }));
    }
  },
});
