import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../../platform/settings.ts';
import type { ErasureCheckpoint } from '../ports.ts';

const KEY = { pk: 'upkeep', sk: 'erase-late' };

/** Despite its name, the attribute `endedMs` holds the time when the last complete run began. */
const CheckpointItem = z.object({ endedMs: z.number() });

export const createDynamoErasureCheckpoint = (): ErasureCheckpoint => ({
  load: async () => {
    const get = new GetCommand({ TableName: requireSetting('analyticsTable'), Key: KEY, ConsistentRead: true });
    const { Item } = await dynamoDocumentClient().send(get);
    return Item === undefined ? undefined : CheckpointItem.parse(Item).endedMs;
  },
  save: async (beganMs) => {
    const Item = { ...KEY, endedMs: beganMs };
    await dynamoDocumentClient().send(new PutCommand({ TableName: requireSetting('analyticsTable'), Item }));
  },
});
