import { type AttributeValue, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoClient, dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { once } from '../../platform/once.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable, UnavailableError } from '../../platform/unavailable.ts';
import { LEAD_BYTES_MAX, LEAD_STEPS_MAX, type LeadKey } from '../lead.ts';
import { isTokenValid } from '../lead-handle.ts';
import type { CreateOutcome, LeadChange, LeadRepository, MergeOutcome } from '../ports.ts';
import {
  applyAttributeChanges,
  countSteps,
  isExpiredOrErasing,
  itemBytes,
  type LeadItem,
  leadItemKey,
  retentionEnd,
  stepCountAttribute,
  toAttributeChanges,
  toNewItem,
} from './lead-item.ts';
import { buildLeadUpdate, type ExactLeadSize } from './lead-update.ts';

const EXACT_SIZE_ATTEMPTS = 8;
const NOT_STORED = 'Leads cannot be stored. Try again shortly.';

const leadsTable = once(() => requireSetting('leadsTable'));

/**
 * Stores a submit with one conditional write. An item has two upper bounds, which the condition compares with the
 * limits of a lead: `bytesBound` grows by the bytes of each submit, `stepsBound` by one for each submit with a step. A
 * bound can be higher than the real value. If a bound rejects a submit, the write is retried with the exact size. If
 * the SDK repeats a write whose response was lost, counters and bounds become too high, but nothing else changes.
 */
export function createDynamoLeadRepository(): LeadRepository {
  return {
    create: (key, change) => rethrowAsUnavailable(NOT_STORED, () => create(key, change)),
    merge: (key, change) => rethrowAsUnavailable(NOT_STORED, () => merge(key, change)),
  };
}

async function create(key: LeadKey, change: LeadChange): Promise<CreateOutcome> {
  const command = new PutItemCommand({
    TableName: leadsTable(),
    Item: attributeValues(toNewItem(key, change)),
    // Replaces only an expired tombstone, whose TTL attribute is `expiresAt` (`toAttributeChanges`). Replacing an
    // expired lead would prevent the erasure of its files and messages.
    ConditionExpression: 'attribute_not_exists(pk) OR (expiresAt <= :now AND attribute_not_exists(firstSubmittedAt))',
    ExpressionAttributeValues: attributeValues({ ':now': Math.ceil(change.atMs / 1000) }),
  });
  if (await undefinedIfConditionFailed(dynamoClient().send(command))) return { outcome: 'created' };
  const existing = await read(key);
  // If there is no item any more, DynamoDB deleted the tombstone after the condition failed.
  if (existing === undefined || isExpiredOrErasing(existing, change.atMs)) return { outcome: 'erased' };
  if (existing.tokenHash === change.tokenHash && Number(existing.tokenExpiresAt) <= change.atMs) {
    await renewToken(key, change, existing);
  }
  return { outcome: 'exists', tokenHash: String(existing.tokenHash) };
}

/**
 * Makes an expired token valid again, at most until the lead expires. If the condition fails, another request has
 * already changed the token's expiry, or the lead no longer exists.
 */
async function renewToken(key: LeadKey, change: LeadChange, existing: LeadItem): Promise<void> {
  const until = Math.min(change.tokenExpiresAtMs, (retentionEnd(existing) ?? Infinity) * 1_000);
  await updateItem(key, {
    UpdateExpression: 'SET tokenExpiresAt = :until',
    ConditionExpression: 'tokenHash = :token AND tokenExpiresAt = :expired',
    ExpressionAttributeValues: {
      ':until': until,
      ':token': change.tokenHash,
      ':expired': Number(existing.tokenExpiresAt),
    },
  });
}

async function merge(key: LeadKey, change: LeadChange): Promise<MergeOutcome> {
  if (await updateItem(key, buildLeadUpdate(key, change))) return 'merged';
  for (let attempt = 0; attempt < EXACT_SIZE_ATTEMPTS; attempt++) {
    const item = await read(key);
    if (item === undefined || isExpiredOrErasing(item, change.atMs)) return 'unknown_lead';
    if (!isTokenValid(toStoredToken(item), change)) return 'invalid_token';
    const withinSteps = dropStepOverLimit(item, change);
    const size = measureExactSize(key, item, withinSteps);
    if (size.bytes > LEAD_BYTES_MAX) return 'too_large';
    if (await updateItem(key, buildLeadUpdate(key, withinSteps, size))) return 'merged';
  }
  throw new UnavailableError('Too many requests are changing this lead. Try again in a second.', {
    retryAfterSeconds: 1,
    cause: undefined,
  });
}

const toStoredToken = ({ tokenHash, tokenExpiresAt }: LeadItem) => ({
  tokenHash: String(tokenHash),
  tokenExpiresAtMs: Number(tokenExpiresAt),
});

function dropStepOverLimit(item: LeadItem, change: LeadChange): LeadChange {
  const isKnown = change.stepId !== undefined && stepCountAttribute(change.stepId) in item;
  return isKnown || countSteps(item) < LEAD_STEPS_MAX ? change : { ...change, stepId: undefined };
}

function measureExactSize(key: LeadKey, item: LeadItem, change: LeadChange): ExactLeadSize {
  const after = applyAttributeChanges(item, toAttributeChanges(key, change));
  return { submitsBefore: Number(item.submits), bytes: itemBytes(after), steps: countSteps(after) };
}

type UpdateExpressions = Omit<ReturnType<typeof buildLeadUpdate>, 'ExpressionAttributeNames'> & {
  ExpressionAttributeNames?: Record<string, string>;
};

/** Resolves to undefined if the condition fails. */
function updateItem(key: LeadKey, { ExpressionAttributeValues, ...expressions }: UpdateExpressions) {
  const command = new UpdateItemCommand({
    TableName: leadsTable(),
    Key: attributeValues(leadItemKey(key)),
    ...expressions,
    ExpressionAttributeValues: attributeValues(ExpressionAttributeValues),
  });
  return undefinedIfConditionFailed(dynamoClient().send(command));
}

const attributeValues = (values: LeadItem): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'number' ? { N: `${value}` } : { S: value }]),
  );

async function read(key: LeadKey): Promise<LeadItem | undefined> {
  const { Item } = await dynamoDocumentClient().send(
    new GetCommand({ TableName: leadsTable(), Key: leadItemKey(key), ConsistentRead: true }),
  );
  return Item;
}
