import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { queryDueKeysInShard } from '../../platform/aws/query-due-index.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { LeadKey } from '../lead.ts';
import type { ChangedLead, LeadOutbox } from '../ports.ts';
import { isExpiredOrErasing, type LeadItem, leadItemKey, parseLeadKey } from './lead-item.ts';
import { dispatchAtMs, hasOnlyUpdatesPending, outboxShardName } from './outbox-attributes.ts';
import { parseLeadItem } from './parse-lead-item.ts';

/**
 * How long a tombstone is kept after its dispatch. A tombstone prevents a repeated first submit from creating the lead
 * again.
 */
const TOMBSTONE_TTL_SECONDS = 86_400;

/** Uses the index `due` and the items of the leads table (ADR 0028). */
export function createDynamoLeadOutbox(clock: Clock = systemClock): LeadOutbox {
  return {
    listDue: async (shard, nowMs, limit) => {
      const keys = await queryDueKeysInShard('leadsTable', outboxShardName(shard), nowMs, limit);
      return { leads: keys.map((key) => ({ ...parseLeadKey(key), dueAt: key.dueAt })), isLast: keys.length < limit };
    },
    read: async (key) => {
      const { Item } = await dynamoDocumentClient().send(new GetCommand({ ...tableAndKey(key), ConsistentRead: true }));
      return Item && toChangedLead(Item, clock.now());
    },
    clear: (key, { state, seq }) =>
      state === 'erased'
        ? updateUnchanged(key, seq, {
            UpdateExpression: 'SET expiresAt = :end REMOVE dueShard, dueAt',
            // The condition is false if the lead was created again after its tombstone expired. The new lead then stays
            // in the outbox.
            condition: 'attribute_exists(erasedAt) AND attribute_exists(dueAt)',
            values: { ':end': Math.ceil(clock.now() / 1_000) + TOMBSTONE_TTL_SECONDS },
          })
        : updateUnchanged(key, seq, {
            UpdateExpression: 'SET dispatchedSeq = :seq REMOVE dueShard, dueAt, dispatchBy',
            // The condition is false if a concurrent run has removed the lead from the outbox. This run then does not
            // count the removal as its own progress.
            condition: 'attribute_exists(dueAt)',
          }),
    postpone: (key, seq, untilMs) =>
      updateUnchanged(key, seq, {
        UpdateExpression: 'SET dueAt = :until',
        condition: 'attribute_exists(dueAt)',
        values: { ':until': formatDueAt(untilMs) },
      }),
  };
}

type Update = { UpdateExpression: string; condition: string; values?: Record<string, string | number> };

/** Returns false and writes nothing if the lead changed after `seq` or no longer exists, or if `condition` is false. */
async function updateUnchanged(key: LeadKey, seq: number, { UpdateExpression, condition, values }: Update) {
  const update = new UpdateCommand({
    ...tableAndKey(key),
    UpdateExpression,
    ConditionExpression: `seq = :seq AND ${condition}`,
    ExpressionAttributeValues: { ':seq': seq, ...values },
  });
  return (await undefinedIfConditionFailed(dynamoDocumentClient().send(update))) !== undefined;
}

const tableAndKey = (key: LeadKey) => ({ TableName: requireSetting('leadsTable'), Key: leadItemKey(key) });

function toChangedLead(item: LeadItem, nowMs: number): ChangedLead | undefined {
  const seq = Number(item.seq ?? 0);
  const isInOutbox = item.dueAt !== undefined;
  if (item.erasedAt !== undefined) return { isInOutbox, state: 'erased', seq, erasedAt: String(item.erasedAt) };
  // An earlier release stored tombstones without `erasedAt`, and did not put them into the outbox.
  if (item.firstSubmittedAt === undefined) return undefined;
  if (isExpiredOrErasing(item, nowMs)) return { isInOutbox, state: 'expired_or_erasing', seq };
  const changedAt = String(item.changedAt ?? item.submittedAt);
  return {
    isInOutbox,
    state: 'stored',
    seq,
    verifiedSeq: Number(item.verifiedSeq ?? 0),
    wasNeverDispatched: item.dispatchedSeq === undefined,
    changedAt,
    dispatchAtMs: dispatchAtMs(item, changedAt),
    hasOnlyUpdatesPending: hasOnlyUpdatesPending(item, changedAt),
    lead: parseLeadItem(item),
  };
}
