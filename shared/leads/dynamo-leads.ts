import { type AttributeValue, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { available } from '../http/available.ts';
import { Problem } from '../http/problem.ts';
import { dynamo, plainDynamo } from '../platform/clients.ts';
import { conditionally } from '../platform/conditionally.ts';
import { config } from '../platform/config.ts';
import { once } from '../platform/once.ts';
import { LEAD_BYTES_MAX, LEAD_STEPS_MAX, type LeadKey, type LeadSubmit, type Leads, type SaveOutcome } from './lead.ts';
import {
  bytesOf,
  changed,
  changeOf,
  isGone,
  itemKey,
  type LeadItem,
  newItem,
  stepCountAttribute,
  stepsOf,
} from './lead-item.ts';
import { leadUpdate, type Measured } from './lead-update.ts';

const MEASURED_ATTEMPTS = 8;

const NOT_STORED = 'Leads cannot be stored. Try again shortly.';

const leadsTable = once(() => config('leadsTable'));

/**
 * Leads in DynamoDB, one write a submit. What a lead may hold is kept by two upper bounds on the item itself, so that
 * the write's own condition can check them: `bytesBound` grows by the bytes of each submit, `stepsBound` by one for
 * each submit with a step. Both overestimate; when they refuse a submit, the lead is read once and the write is
 * repeated with its exact sizes, unless these refuse it too. A write that the SDK repeats after a lost answer merges
 * the same again; the counts of submits and steps are then one too many.
 */
export function dynamoLeads(): Leads {
  return {
    create: (key, submit) => available(NOT_STORED, () => create(key, submit)),
    save: (key, submit) => available(NOT_STORED, () => save(key, submit)),
  };
}

async function create(key: LeadKey, submit: LeadSubmit): ReturnType<Leads['create']> {
  const item = newItem(key, submit);
  const call = new PutItemCommand({
    TableName: leadsTable(),
    Item: attributeValues(item),
    ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
    ExpressionAttributeValues: attributeValues({ ':now': Math.ceil(submit.atMs / 1000) }),
  });
  if (await conditionally(plainDynamo().send(call))) return { outcome: 'created' };
  const taken = (await read(key)) ?? {};
  if (taken.tokenHash === submit.tokenHash && Number(taken.tokenExpiresAt) <= submit.atMs) {
    await admitAgain(key, submit, taken);
  }
  return taken.tokenHash === undefined
    ? { outcome: 'erased' }
    : { outcome: 'taken', tokenHash: String(taken.tokenHash) };
}

/** Never beyond the lead itself. Where it does not happen, another request has been faster, or the lead is gone. */
async function admitAgain(key: LeadKey, submit: LeadSubmit, { tokenExpiresAt, expiresAt }: LeadItem): Promise<void> {
  const until = Math.min(submit.tokenExpiresAtMs, Number(expiresAt ?? Infinity) * 1_000);
  await change(key, {
    UpdateExpression: 'SET tokenExpiresAt = :until',
    ConditionExpression: 'tokenHash = :token AND tokenExpiresAt = :ended',
    ExpressionAttributeValues: { ':until': until, ':token': submit.tokenHash, ':ended': Number(tokenExpiresAt) },
  });
}

async function save(key: LeadKey, submit: LeadSubmit): Promise<SaveOutcome> {
  if (await change(key, leadUpdate(submit))) return 'saved';
  for (let attempt = 0; attempt < MEASURED_ATTEMPTS; attempt++) {
    const item = await read(key);
    if (item === undefined || isGone(item, submit.atMs)) return 'unknown_lead';
    if (!admits(item, submit)) return 'invalid_token';
    const fitting = withStepThatFits(item, submit);
    const measured = measure(item, fitting);
    if (measured.bytes > LEAD_BYTES_MAX) return 'too_large';
    if (await change(key, leadUpdate(fitting, measured))) return 'saved';
  }
  throw new Problem(503, 'Too many requests are changing this lead. Try again in a second.', {
    headers: { 'Retry-After': '1' },
  });
}

const admits = (item: LeadItem, submit: LeadSubmit): boolean =>
  item.tokenHash === submit.tokenHash && Number(item.tokenExpiresAt) > submit.atMs;

function withStepThatFits(item: LeadItem, submit: LeadSubmit): LeadSubmit {
  const isKnown = submit.stepId !== undefined && stepCountAttribute(submit.stepId) in item;
  return isKnown || stepsOf(item) < LEAD_STEPS_MAX ? submit : { ...submit, stepId: undefined };
}

function measure(item: LeadItem, submit: LeadSubmit): Measured {
  const after = changed(item, changeOf(submit));
  return { submits: Number(item.submits), bytes: bytesOf(after), steps: stepsOf(after) };
}

type Change = Omit<ReturnType<typeof leadUpdate>, 'ExpressionAttributeNames'> & {
  ExpressionAttributeNames?: Record<string, string>;
};

/** Undefined when the change's condition did not hold. */
function change(key: LeadKey, { ExpressionAttributeValues, ...expressions }: Change) {
  const call = new UpdateItemCommand({
    TableName: leadsTable(),
    Key: attributeValues(itemKey(key)),
    ...expressions,
    ExpressionAttributeValues: attributeValues(ExpressionAttributeValues),
  });
  return conditionally(plainDynamo().send(call));
}

const attributeValues = (values: LeadItem): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'number' ? { N: `${value}` } : { S: value }]),
  );

async function read(key: LeadKey): Promise<LeadItem | undefined> {
  const { Item } = await dynamo().send(
    new GetCommand({ TableName: leadsTable(), Key: itemKey(key), ConsistentRead: true }),
  );
  return Item;
}
