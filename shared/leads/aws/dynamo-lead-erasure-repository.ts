import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import { ERASING_SHARD } from '../index-shards.ts';
import type { LeadKey } from '../lead.ts';
import type { ErasableLead, LeadErasureRepository } from '../ports.ts';
import { DATA_PREFIX, funnelShardKey, isExpired, type LeadItem, leadItemKey } from './lead-item.ts';
import { outboxOfTombstone } from './outbox-attributes.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * `markErasing` compares `seq`, the number of submits and the time of the first submit with the result of `read`. If
 * the lead was erased and created again, the time of the first submit differs.
 */
export function createDynamoLeadErasureRepository(clock: Clock = systemClock): LeadErasureRepository {
  return {
    read: async (key) => {
      const { Item } = await dynamoDocumentClient().send(new GetCommand({ ...tableAndKey(key), ConsistentRead: true }));
      return Item?.firstSubmittedAt === undefined ? undefined : toErasableLead(Item, clock.now());
    },
    markErasing: async (key, { seq, submits, firstSubmittedAt }) => {
      const isUnchanged = seq === 0 ? 'attribute_not_exists(seq)' : 'seq = :seq';
      const update = new UpdateCommand({
        ...tableAndKey(key),
        UpdateExpression: 'SET funnelShard = :erasing REMOVE tokenHash, dueShard, dueAt, dispatchBy, expiresAt',
        ConditionExpression: `submits = :submits AND firstSubmittedAt = :first AND ${isUnchanged}`,
        ExpressionAttributeValues: {
          ':submits': submits,
          ':first': firstSubmittedAt,
          ':erasing': funnelShardKey(key.funnelId, ERASING_SHARD),
          ...(seq > 0 && { ':seq': seq }),
        },
      });
      return (await undefinedIfConditionFailed(dynamoDocumentClient().send(update))) !== undefined;
    },
    replaceWithTombstone: async (key, { seq }) => {
      const put = new PutCommand({
        TableName: requireSetting('leadsTable'),
        Item: { ...leadItemKey(key), seq: seq + 1, ...outboxOfTombstone(key, clock.now()) },
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(tokenHash)',
      });
      return (await undefinedIfConditionFailed(dynamoDocumentClient().send(put))) !== undefined;
    },
  };
}

const tableAndKey = (key: LeadKey) => ({ TableName: requireSetting('leadsTable'), Key: leadItemKey(key) });

function toErasableLead(item: LeadItem, nowMs: number): ErasableLead {
  const values = Object.entries(item).filter(([name]) => name.startsWith(DATA_PREFIX));
  const uuids = values.flatMap(([, json]) => String(json).match(UUID) ?? []);
  return {
    submittedAt: String(item.submittedAt),
    firstSubmittedAt: String(item.firstSubmittedAt),
    submits: Number(item.submits),
    seq: Number(item.seq ?? 0),
    isExpired: isExpired(item, nowMs),
    isErasing: item.tokenHash === undefined,
    uuids: [...new Set(uuids.map((uuid) => uuid.toLowerCase()))],
  };
}
