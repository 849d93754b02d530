import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable, UnavailableError } from '../../platform/unavailable.ts';
import { MAIL_LANGUAGES, MODES, type NotificationAddress } from '../notification-address.ts';
import type { AddressReader, AddressRepository } from '../ports.ts';
import { addressesKey } from './notifications-table.ts';

/**
 * Maximum number of attempts. An attempt fails if another request changes the addresses between the read and the write.
 */
const ATTEMPTS = 8;

const Time = z._default(z.nullable(z.string()), null);
const AddressesItem = z.object({
  /** A new UUID with each write. */
  version: z.string(),
  addresses: z.record(
    z.string(),
    z.object({
      id: z.string(),
      address: z.string(),
      mode: z.enum(MODES),
      timeZone: z.string(),
      language: z.enum(MAIL_LANGUAGES),
      linkBaseUrl: z.string(),
      confirmedAt: Time,
      unsubscribedAt: Time,
      createdAt: z.string(),
      updatedAt: z.string(),
    }),
  ),
});

export const createDynamoAddressReader = (): AddressReader => ({
  list: (orgId) => orUnavailable(async () => sorted(await readItem(orgId))),
});

/**
 * All addresses of an organization are in one item, so that concurrent requests cannot exceed the maximum number of
 * addresses.
 */
export const createDynamoAddressRepository = (): AddressRepository => ({
  ...createDynamoAddressReader(),
  change: (orgId, change) =>
    orUnavailable(async () => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const seen = await readItem(orgId);
        const version = randomUUID();
        if (await replace(orgId, seen?.version, version, change(sorted(seen)))) return;
        // If the response to a successful write is lost, the SDK repeats the write, and its condition fails. The item
        // then contains `version` (ADR 0004).
        if ((await readItem(orgId))?.version === version) return;
      }
      throw new UnavailableError('Too many requests are changing the notification addresses. Try again in a second.', {
        retryAfterSeconds: 1,
        cause: undefined,
      });
    }),
});

async function readItem(orgId: string): Promise<z.output<typeof AddressesItem> | undefined> {
  const get = new GetCommand({ ...tableOf(), Key: addressesKey(orgId), ConsistentRead: true });
  const { Item } = await dynamoDocumentClient().send(get);
  return Item && AddressesItem.parse(Item);
}

/** Times that are null are not stored, so that conditions can check whether the attribute exists. */
async function replace(
  orgId: string,
  seen: string | undefined,
  version: string,
  addresses: readonly NotificationAddress[],
): Promise<boolean> {
  const stored = addresses.map((address) => [
    address.id,
    Object.fromEntries(Object.entries(address).filter(([, value]) => value !== null)),
  ]);
  const put = new PutCommand({
    ...tableOf(),
    Item: { ...addressesKey(orgId), version, addresses: Object.fromEntries(stored) },
    ...(seen === undefined
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': seen } }),
  });
  return (await undefinedIfConditionFailed(dynamoDocumentClient().send(put))) !== undefined;
}

const sorted = (item: z.output<typeof AddressesItem> | undefined): NotificationAddress[] =>
  Object.values(item?.addresses ?? {}).sort((one, other) => compare(sortKey(one), sortKey(other)));

const sortKey = ({ createdAt, id }: NotificationAddress): string => `${createdAt} ${id}`;
const compare = (one: string, other: string): number => (one < other ? -1 : 1);

const tableOf = () => ({ TableName: requireSetting('notificationsTable') });

const orUnavailable = <T>(work: () => Promise<T>): Promise<T> =>
  rethrowAsUnavailable('The notification addresses are not available. Try again shortly.', work);
