import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '../../platform/clients.ts';
import type { Clock } from '../../platform/clock.ts';
import { config } from '../../platform/config.ts';
import { dataAttribute, isExpiredOrErasing, leadItemKey } from './lead-item.ts';

/** Whether a lead, `<funnel>/<lead>`, that is not gone has a file's uuid as the value of a field, right now. */
export const createFileReferenceCheck =
  (clock: Clock) =>
  async (lead: string, uuid: string): Promise<boolean> => {
    const [funnelId = '', leadId = ''] = lead.split('/');
    const Key = leadItemKey({ funnelId, leadId });
    const { Item } = await dynamo().send(
      new GetCommand({ TableName: config('leadsTable'), Key, ConsistentRead: true }),
    );
    if (Item === undefined || isExpiredOrErasing(Item, clock.now())) return false;
    const json = JSON.stringify(uuid);
    return Object.entries(Item).some(([name, value]) => value === json && name.startsWith(dataAttribute('')));
  };
