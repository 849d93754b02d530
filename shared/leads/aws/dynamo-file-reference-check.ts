import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import { dataAttribute, isExpiredOrErasing, leadItemKey } from './lead-item.ts';

/** Whether a lead, `<funnel>/<lead>`, that is not gone has a file's uuid as the value of a field, right now. */
export const createFileReferenceCheck =
  (clock: Clock) =>
  async (lead: string, uuid: string): Promise<boolean> => {
    const [funnelId = '', leadId = ''] = lead.split('/');
    const Key = leadItemKey({ funnelId, leadId });
    const { Item } = await dynamoDocumentClient().send(
      new GetCommand({ TableName: requireSetting('leadsTable'), Key, ConsistentRead: true }),
    );
    if (Item === undefined || isExpiredOrErasing(Item, clock.now())) return false;
    const json = JSON.stringify(uuid);
    return Object.entries(Item).some(([name, value]) => value === json && name.startsWith(dataAttribute('')));
  };
