import { BatchWriteCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeys } from '../../platform/aws/query-due-index.ts';
import { retryUnprocessed } from '../../platform/aws/retry-unprocessed.ts';
import { requireSetting } from '../../platform/settings.ts';
import { type AddressLease, type Notice, toIsoString } from '../notice.ts';
import type { NoticeRepository } from '../ports.ts';
import {
  addressPartition,
  dueShardOf,
  NOTICE_PREFIX,
  noticeKey,
  parseNoticeItem,
  parseStateKey,
  shardName,
  stateKey,
} from './notifications-table.ts';

/** DynamoDB's limit of writes per request. */
const BATCH_WRITES_MAX = 25;

const StateItem = z.object({
  orgId: z.string(),
  noticesAdded: z.number(),
  hourAt: z.optional(z.string()),
  singles: z._default(z.number(), 0),
  isListed: z._default(z.boolean(), false),
  failures: z._default(z.number(), 0),
});

export const createDynamoNoticeRepository = (): NoticeRepository => ({
  listDue: async (nowMs, limit) => {
    const keys = await queryDueKeys('notificationsTable', shardName, nowMs, limit);
    return keys.map(parseStateKey);
  },
  acquire: async (addressId, nowMs, untilMs) => {
    const heldUntil = toIsoString(untilMs);
    const item = await update(addressId, {
      UpdateExpression: 'SET heldUntil = :until',
      ConditionExpression: 'dueAt <= :now AND (attribute_not_exists(heldUntil) OR heldUntil <= :now)',
      ExpressionAttributeValues: { ':until': heldUntil, ':now': toIsoString(nowMs) },
    });
    if (item === undefined) return undefined;
    const { orgId, noticesAdded, hourAt, ...state } = StateItem.parse(item);
    return { addressId, orgId, noticesAdded, heldUntil, state: { hourAt, ...state } };
  },
  list: async (addressId) => {
    const query = {
      TableName: requireSetting('notificationsTable'),
      KeyConditionExpression: 'pk = :address AND begins_with(sk, :notice)',
      ExpressionAttributeValues: { ':address': addressPartition(addressId), ':notice': NOTICE_PREFIX },
      ConsistentRead: true,
    };
    const notices: Notice[] = [];
    for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query))
      notices.push(...Items.map(parseNoticeItem));
    return notices;
  },
  remove: async (addressId, notices) => {
    const table = requireSetting('notificationsTable');
    const requests = notices.map((notice) => ({ DeleteRequest: { Key: noticeKey(addressId, notice) } }));
    for (let start = 0; start < requests.length; start += BATCH_WRITES_MAX) {
      const isDone = await retryUnprocessed(requests.slice(start, start + BATCH_WRITES_MAX), async (batch) => {
        const command = new BatchWriteCommand({ RequestItems: { [table]: batch } });
        return (await dynamoDocumentClient().send(command)).UnprocessedItems?.[table] as typeof batch | undefined;
      });
      if (!isDone)
        throw new Error(`DynamoDB did not delete some notices of address ${addressId} after several attempts.`);
    }
  },
  release: async (lease, { state: { hourAt, ...counts }, dueAtMs }) => {
    const state = { ...counts, ...(hourAt !== undefined && { hourAt }) };
    const isDone = await updateHeld(
      lease,
      {
        ...state,
        ...(dueAtMs !== undefined && { dueShard: dueShardOf(lease.addressId), dueAt: toIsoString(dueAtMs) }),
      },
      { noticesAdded: lease.noticesAdded, remove: dueAtMs === undefined ? ['dueShard', 'dueAt'] : [] },
    );
    // If notices were added during the lease, keep `dueAt` (a past time), so that the next run finds the notices.
    if (!isDone) await updateHeld(lease, state);
  },
});

/**
 * Ends a lease. Returns false and writes nothing if the item no longer has this lease, or if `noticesAdded` is passed
 * and differs from the stored number.
 */
async function updateHeld(
  { addressId, heldUntil }: AddressLease,
  set: Record<string, string | number | boolean>,
  { noticesAdded, remove = [] }: { noticesAdded?: number; remove?: string[] } = {},
): Promise<boolean> {
  const written = await update(addressId, {
    UpdateExpression:
      `SET ${Object.keys(set).map((name) => `${name} = :${name}`)} ` + `REMOVE ${['heldUntil', ...remove]}`,
    ConditionExpression: `heldUntil = :held${noticesAdded === undefined ? '' : ' AND noticesAdded = :noticesAdded'}`,
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
      ':held': heldUntil,
      ...(noticesAdded !== undefined && { ':noticesAdded': noticesAdded }),
    },
  });
  return written !== undefined;
}

type Update = {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeValues: Record<string, string | number | boolean>;
};

/** Returns the item after the write, or undefined if the condition failed. */
async function update(addressId: string, input: Update): Promise<Record<string, unknown> | undefined> {
  const command = new UpdateCommand({
    TableName: requireSetting('notificationsTable'),
    Key: stateKey(addressId),
    ReturnValues: 'ALL_NEW',
    ...input,
  });
  return (await undefinedIfConditionFailed(dynamoDocumentClient().send(command)))?.Attributes;
}
