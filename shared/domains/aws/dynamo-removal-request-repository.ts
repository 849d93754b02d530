import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { readParsedItem } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { RequestRemovalPorts } from '../request-removal.ts';
import { toDueAttributes, toProgressAttributes } from './domain-item.ts';
import { domainKey } from './keys.ts';

const Marked = z.object({ markedBy: z.optional(z.string()) });

export const createDynamoRemovalRequestRepository = (): RequestRemovalPorts['domains'] => ({
  markRemoving: async (ids, removal, dueAtMs) => {
    const { dueShard, dueAt } = toDueAttributes(ids.domainId, dueAtMs);
    const markedBy = randomUUID();
    const update = new UpdateCommand({
      TableName: requireSetting('directoryTable'),
      Key: domainKey(ids.orgId, ids.domainId),
      UpdateExpression:
        'SET #status = :removing, removal = :removal, dueShard = :shard, dueAt = :due, markedBy = :by ADD revision :one',
      ConditionExpression: 'attribute_exists(pk) AND #status <> :removing',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':removing': 'removing',
        ':removal': toProgressAttributes(removal),
        ':shard': dueShard,
        ':due': dueAt,
        ':one': 1,
        ':by': markedBy,
      },
    });
    const response = await rethrowAsUnavailable('The domain cannot be removed. Try again shortly.', () =>
      undefinedIfConditionFailed(dynamoDocumentClient().send(update)),
    );
    if (response !== undefined) return 'marked';
    // The SDK retries a write whose response was lost. If the first attempt marked the domain, the condition of the
    // retry fails. `markedBy` then shows that this call marked the domain.
    const current = await readParsedItem(Marked, domainKey(ids.orgId, ids.domainId), true);
    return current?.markedBy === markedBy ? 'marked' : 'unknown';
  },
});
