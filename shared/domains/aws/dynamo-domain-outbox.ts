import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeysInShard } from '../../platform/aws/query-due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { DomainIds } from '../domain.ts';
import type { DomainOutbox } from '../ports.ts';
import { ACTIVATED_SHARD, parseDomainKey } from './domain-item.ts';
import { domainKey } from './keys.ts';

const ActiveDomainItem = z.object({
  hostname: z.string(),
  pageIds: z.array(z.string()),
  createdAt: z.string(),
  activatedAt: z.string(),
});

/** Uses the index `due` and the domain items of the directory table. The methods throw the SDK's errors. */
export const createDynamoDomainOutbox = (): DomainOutbox => ({
  listDue: async (nowMs, limit) => {
    const keys = await queryDueKeysInShard('directoryTable', ACTIVATED_SHARD, nowMs, limit);
    return { due: keys.map((key) => ({ ...parseDomainKey(key), dueAt: key.dueAt })), isLast: keys.length < limit };
  },
  read: async (ids) => {
    const get = new GetCommand({ ...tableAndKey(ids), ConsistentRead: true });
    const { Item } = await dynamoDocumentClient().send(get);
    if (Item?.status !== 'active' || Item.activatedAt == null) return undefined;
    return { state: ActiveDomainItem.parse(Item), isInOutbox: Item.dueShard === ACTIVATED_SHARD };
  },
  clear: async (ids) => {
    const update = new UpdateCommand({
      ...tableAndKey(ids),
      UpdateExpression: 'REMOVE dueShard, dueAt',
      // If the domain is being removed, `dueShard` and `dueAt` belong to the removal, and must stay.
      ConditionExpression: 'dueShard = :shard',
      ExpressionAttributeValues: { ':shard': ACTIVATED_SHARD },
    });
    return (await undefinedIfConditionFailed(dynamoDocumentClient().send(update))) !== undefined;
  },
});

const tableAndKey = ({ orgId, domainId }: DomainIds) => ({
  TableName: requireSetting('directoryTable'),
  Key: domainKey(orgId, domainId),
});
