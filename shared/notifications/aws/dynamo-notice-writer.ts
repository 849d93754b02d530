import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { toIsoString } from '../notice.ts';
import type { NoticeWriter } from '../ports.ts';
import { dueShardOf, noticeKey, stateKey } from './notifications-table.ts';

/** All methods throw UnavailableError while the table is unavailable. */
export const createDynamoNoticeWriter = (): NoticeWriter => ({
  put: (addressId, notice) =>
    orUnavailable(async () => {
      const Item = { ...noticeKey(addressId, notice), ...notice };
      const put = new PutCommand({
        TableName: requireSetting('notificationsTable'),
        Item,
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      await undefinedIfConditionFailed(dynamoDocumentClient().send(put));
    }),
  wake: ({ orgId, addressId }, dueAtMs) => orUnavailable(() => wake(addressId, orgId, toIsoString(dueAtMs))),
});

/**
 * Makes the address due at `due` at the latest. Increments `noticesAdded`. If a run is sending mails to the address at
 * the same time, it detects the new notice by this number.
 */
async function wake(addressId: string, orgId: string, due: string): Promise<void> {
  const isEarlier = await update(addressId, {
    UpdateExpression: 'SET orgId = :org, dueShard = :shard, dueAt = :due ADD noticesAdded :one',
    ConditionExpression: 'attribute_not_exists(dueAt) OR dueAt > :due',
    ExpressionAttributeValues: { ':org': orgId, ':shard': dueShardOf(addressId), ':due': due, ':one': 1 },
  });
  if (isEarlier) return;
  const isCounted = await update(addressId, {
    UpdateExpression: 'ADD noticesAdded :one',
    ConditionExpression: 'attribute_exists(dueAt)',
    ExpressionAttributeValues: { ':one': 1 },
  });
  // If both updates fail, a run has removed `dueAt` between them. The second call of `wake` sets it again.
  if (!isCounted) await wake(addressId, orgId, due);
}

type Update = {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeValues: Record<string, string | number>;
};

/** Returns false and writes nothing if the condition fails. */
async function update(addressId: string, input: Update): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: requireSetting('notificationsTable'),
    Key: stateKey(addressId),
    ...input,
  });
  return (await undefinedIfConditionFailed(dynamoDocumentClient().send(command))) !== undefined;
}

const orUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  rethrowAsUnavailable('The table of notifications is not available. Try again shortly.', work);
