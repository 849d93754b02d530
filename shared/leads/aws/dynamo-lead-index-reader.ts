import { type AttributeValue, BatchGetItemCommand, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { retryUnprocessed } from '../../platform/aws/retry-unprocessed.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { LeadKey } from '../lead.ts';
import type { LeadIndexEntry, LeadIndexQuery, LeadIndexReader } from '../ports.ts';
import { funnelShardKey, isExpiredOrErasing, type LeadItem, leadItemKey, parseLeadKey } from './lead-item.ts';
import { parseLeadItem } from './parse-lead-item.ts';

/** DynamoDB's limit of keys per request. */
const BATCH_KEYS_MAX = 100;
/**
 * Delays before the retries for unprocessed keys. The first retry has no delay, because usually the items only exceed
 * the maximum size of one response.
 */
const RETRY_DELAYS_MS = [0, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800];
/** The text `from` sorts before every time, and the text `to` sorts after every time. */
const UNBOUNDED = { from: '0', to: '~' };

type Attributes = Record<string, AttributeValue>;

/**
 * Reads the index `byFunnel` and the items of the leads table. `getLeads` omits leads that are expired or being erased.
 *
 * @param client must have a timeout that suffices for responses of 16 MB
 */
export function createDynamoLeadIndexReader(client: DynamoDBClient, clock: Clock = systemClock): LeadIndexReader {
  return createIndexReader(client, (item) => !isExpiredOrErasing(item, clock.now()));
}

/** Like `createDynamoLeadIndexReader`, but `getLeads` includes leads that are expired or being erased. */
export const createDynamoUnfilteredLeadIndexReader = (client: DynamoDBClient): LeadIndexReader =>
  createIndexReader(client, (item) => item.firstSubmittedAt !== undefined);

function createIndexReader(client: DynamoDBClient, isVisible: (item: LeadItem) => boolean): LeadIndexReader {
  return {
    listEntries: async (query) => {
      const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand(queryInput(query)));
      return { entries: Items.map(toIndexEntry), isLast: LastEvaluatedKey === undefined };
    },
    getLeads: async (keys) => {
      const batches = Array.from({ length: Math.ceil(keys.length / BATCH_KEYS_MAX) }, (_, batch) =>
        readBatch(client, keys.slice(batch * BATCH_KEYS_MAX, (batch + 1) * BATCH_KEYS_MAX)),
      );
      const items = new Map((await Promise.all(batches)).flat().map((item) => [item.pk, item]));
      return keys.flatMap((key) => {
        const item = items.get(leadItemKey(key).pk);
        return item === undefined || !isVisible(item) ? [] : [parseLeadItem(item)];
      });
    },
  };
}

function queryInput(query: LeadIndexQuery) {
  const { funnelId, shard, order, from = UNBOUNDED.from, to = UNBOUNDED.to, after, limit } = query;
  const shardKey = funnelShardKey(funnelId, shard);
  return {
    TableName: requireSetting('leadsTable'),
    IndexName: 'byFunnel',
    KeyConditionExpression: 'funnelShard = :shard AND submittedAt BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':shard': { S: shardKey }, ':from': { S: from }, ':to': { S: to } },
    ScanIndexForward: order === 'oldest first',
    ...(limit !== undefined && { Limit: limit }),
    ...(after !== undefined && {
      ExclusiveStartKey: {
        ...attributes(leadItemKey({ funnelId, leadId: after.leadId })),
        ...attributes({ funnelShard: shardKey, submittedAt: after.submittedAt }),
      },
    }),
  };
}

const attributes = (texts: Record<string, string>): Attributes =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { S: text }]));

const toIndexEntry = (stored: Attributes): LeadIndexEntry => {
  const item = toLeadItem(stored);
  return { submittedAt: String(item.submittedAt), leadId: parseLeadKey(item).leadId };
};

const toLeadItem = (stored: Attributes): LeadItem =>
  Object.fromEntries(Object.entries(stored).map(([name, { S, N }]) => [name, S ?? Number(N)]));

async function readBatch(client: DynamoDBClient, keys: readonly LeadKey[]): Promise<LeadItem[]> {
  const table = requireSetting('leadsTable');
  const items: LeadItem[] = [];
  const read = async (Keys: Attributes[]) => {
    const RequestItems = { [table]: { Keys, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems }));
    items.push(...(Responses?.[table] ?? []).map(toLeadItem));
    return UnprocessedKeys?.[table]?.Keys;
  };
  const itemKeys = keys.map((key) => attributes(leadItemKey(key)));
  if (await retryUnprocessed(itemKeys, read, RETRY_DELAYS_MS)) return items;
  throw new Error(`DynamoDB did not return some of ${keys.length} leads after several attempts. Try again later.`);
}
