import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import type { Clock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import { parseLeadReference } from '../../uploads/lead-reference.ts';
import { DATA_PREFIX, isExpiredOrErasing, leadItemKey } from './lead-item.ts';

/**
 * Creates a function that checks whether any field of a lead contains the uuid of a file as its value. The function
 * reads strongly consistently. It returns false if the lead is missing, expired or being erased.
 */
export const createFileReferenceCheck =
  (clock: Clock) =>
  async (leadReference: string, uuid: string): Promise<boolean> => {
    const Key = leadItemKey(parseLeadReference(leadReference));
    const { Item } = await dynamoDocumentClient().send(
      new GetCommand({ TableName: requireSetting('leadsTable'), Key, ConsistentRead: true }),
    );
    if (Item === undefined || isExpiredOrErasing(Item, clock.now())) return false;
    const json = JSON.stringify(uuid);
    return Object.entries(Item).some(([name, value]) => value === json && name.startsWith(DATA_PREFIX));
  };
