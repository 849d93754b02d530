import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { AddressIds } from '../notification-address.ts';
import type { RecipientRepository } from '../ports.ts';
import { addressesKey } from './notifications-table.ts';

/** Sends only UpdateItem, because public functions have no other permission for the table. */
export const createDynamoRecipientRepository = (): RecipientRepository => ({
  confirm: (ids, at) => setTime(ids, 'confirmedAt', at, ' AND attribute_not_exists(addresses.#id.unsubscribedAt)'),
  unsubscribe: async (ids, at) => {
    await setTime(ids, 'unsubscribedAt', at);
  },
});

/** Keeps the time if it is set already. Returns false if the address does not exist or does not meet `condition`. */
const setTime = (
  { orgId, addressId }: AddressIds,
  attribute: 'confirmedAt' | 'unsubscribedAt',
  at: string,
  condition = '',
): Promise<boolean> =>
  rethrowAsUnavailable('The link cannot be used at the moment. Try again shortly.', async () => {
    const path = `addresses.#id.${attribute}`;
    const update = new UpdateCommand({
      TableName: requireSetting('notificationsTable'),
      Key: addressesKey(orgId),
      UpdateExpression: `SET ${path} = if_not_exists(${path}, :at), version = :version`,
      ConditionExpression: `attribute_exists(addresses.#id)${condition}`,
      ExpressionAttributeNames: { '#id': addressId },
      ExpressionAttributeValues: { ':at': at, ':version': randomUUID() },
    });
    return (await undefinedIfConditionFailed(dynamoDocumentClient().send(update))) !== undefined;
  });
