import { type AttributeValue, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { HttpError } from '../../http/errors.ts';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoClient, dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { once } from '../../platform/once.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import {
  LEAD_BYTES_MAX,
  LEAD_STEPS_MAX,
  type LeadKey,
  type LeadRepository,
  type LeadWrite,
  type MergeOutcome,
} from '../lead.ts';
import {
  applyItemChange,
  countSteps,
  isExpiredOrErasing,
  itemBytes,
  type LeadItem,
  leadItemKey,
  stepCountAttribute,
  toItemChange,
  toNewItem,
} from './lead-item.ts';
import { buildLeadUpdate, type ExactLeadSize } from './lead-update.ts';

const EXACT_SIZE_ATTEMPTS = 8;

const NOT_STORED = 'Leads cannot be stored. Try again shortly.';

const leadsTable = once(() => requireSetting('leadsTable'));

/**
 * Leads in DynamoDB, one write a submit. What a lead may hold is kept by two upper bounds on the item itself, so that
 * the write's own condition can check them: `bytesBound` grows by the bytes of each submit, `stepsBound` by one for
 * each submit with a step. Both overestimate; when they refuse a submit, the lead is read once and the write is
 * repeated with its exact sizes, unless these refuse it too. A write that the SDK repeats after a lost answer merges
 * the same again; the counts of submits and steps are then one too many.
 */
export function createDynamoLeadRepository(): LeadRepository {
  return {
    create: (key, submit) => rethrowAsUnavailable(NOT_STORED, () => create(key, submit)),
    merge: (key, submit) => rethrowAsUnavailable(NOT_STORED, () => merge(key, submit)),
  };
}

async function create(key: LeadKey, submit: LeadWrite): ReturnType<LeadRepository['create']> {
  const item = toNewItem(key, submit);
  const call = new PutItemCommand({
    TableName: leadsTable(),
    Item: attributeValues(item),
    ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
    ExpressionAttributeValues: attributeValues({ ':now': Math.ceil(submit.atMs / 1000) }),
  });
  if (await undefinedIfConditionFailed(dynamoClient().send(call))) return { outcome: 'created' };
  const taken = (await read(key)) ?? {};
  if (taken.tokenHash === submit.tokenHash && Number(taken.tokenExpiresAt) <= submit.atMs) {
    await renewToken(key, submit, taken);
  }
  return taken.tokenHash === undefined
    ? { outcome: 'erased' }
    : { outcome: 'taken', tokenHash: String(taken.tokenHash) };
}

/** Never beyond the lead itself. Where it does not happen, another request has been faster, or the lead is gone. */
async function renewToken(key: LeadKey, submit: LeadWrite, { tokenExpiresAt, expiresAt }: LeadItem): Promise<void> {
  const until = Math.min(submit.tokenExpiresAtMs, Number(expiresAt ?? Infinity) * 1_000);
  await updateItem(key, {
    UpdateExpression: 'SET tokenExpiresAt = :until',
    ConditionExpression: 'tokenHash = :token AND tokenExpiresAt = :ended',
    ExpressionAttributeValues: { ':until': until, ':token': submit.tokenHash, ':ended': Number(tokenExpiresAt) },
  });
}

async function merge(key: LeadKey, submit: LeadWrite): Promise<MergeOutcome> {
  if (await updateItem(key, buildLeadUpdate(submit))) return 'saved';
  for (let attempt = 0; attempt < EXACT_SIZE_ATTEMPTS; attempt++) {
    const item = await read(key);
    if (item === undefined || isExpiredOrErasing(item, submit.atMs)) return 'unknown_lead';
    if (!hasValidToken(item, submit)) return 'invalid_token';
    const fitting = dropStepOverLimit(item, submit);
    const measured = measureExactSize(item, fitting);
    if (measured.bytes > LEAD_BYTES_MAX) return 'too_large';
    if (await updateItem(key, buildLeadUpdate(fitting, measured))) return 'saved';
  }
  throw new HttpError(503, 'Too many requests are changing this lead. Try again in a second.', {
    headers: { 'Retry-After': '1' },
  });
}

const hasValidToken = (item: LeadItem, submit: LeadWrite): boolean =>
  item.tokenHash === submit.tokenHash && Number(item.tokenExpiresAt) > submit.atMs;

function dropStepOverLimit(item: LeadItem, submit: LeadWrite): LeadWrite {
  const isKnown = submit.stepId !== undefined && stepCountAttribute(submit.stepId) in item;
  return isKnown || countSteps(item) < LEAD_STEPS_MAX ? submit : { ...submit, stepId: undefined };
}

function measureExactSize(item: LeadItem, submit: LeadWrite): ExactLeadSize {
  const after = applyItemChange(item, toItemChange(submit));
  return { submits: Number(item.submits), bytes: itemBytes(after), steps: countSteps(after) };
}

type UpdateExpressions = Omit<ReturnType<typeof buildLeadUpdate>, 'ExpressionAttributeNames'> & {
  ExpressionAttributeNames?: Record<string, string>;
};

/** Undefined when the change's condition did not hold. */
function updateItem(key: LeadKey, { ExpressionAttributeValues, ...expressions }: UpdateExpressions) {
  const call = new UpdateItemCommand({
    TableName: leadsTable(),
    Key: attributeValues(leadItemKey(key)),
    ...expressions,
    ExpressionAttributeValues: attributeValues(ExpressionAttributeValues),
  });
  return undefinedIfConditionFailed(dynamoClient().send(call));
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
