import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoClient } from '../../platform/aws/dynamo-client.ts';
import { once } from '../../platform/once.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { isTokenValid } from '../lead-handle.ts';
import type {
  FindLeadOutcome,
  LeadCredentials,
  LeadVerificationRepository,
  VerificationReplacement,
} from '../ports.ts';
import { dataAttribute, isExpiredOrErasing, leadItemKey } from './lead-item.ts';
import { outboxOfCreationOrVerification } from './outbox-attributes.ts';

const NOT_AVAILABLE = 'Leads are not available. Try again shortly.';

const leadsTable = once(() => requireSetting('leadsTable'));

/** Stores the verification state in one attribute that no submit changes. */
export function createDynamoLeadVerificationRepository(): LeadVerificationRepository {
  return {
    find: (credentials, fieldIds) => rethrowAsUnavailable(NOT_AVAILABLE, () => find(credentials, fieldIds)),
    replace: (credentials, replacement) => rethrowAsUnavailable(NOT_AVAILABLE, () => replace(credentials, replacement)),
  };
}

async function find(credentials: LeadCredentials, fieldIds: readonly string[]): Promise<FindLeadOutcome> {
  const attributes = new Set([
    'tokenHash',
    'tokenExpiresAt',
    'retainedUntil',
    'expiresAt',
    'verification',
    ...fieldIds.map(dataAttribute),
  ]);
  const names = Object.fromEntries(Array.from(attributes, (attribute, index) => [`#${index}`, attribute]));
  const { Item } = await dynamoClient().send(
    new GetItemCommand({
      ...tableAndKey(credentials),
      ConsistentRead: true,
      ProjectionExpression: Object.keys(names).join(', '),
      ExpressionAttributeNames: names,
    }),
  );
  const end = Item?.retainedUntil ?? Item?.expiresAt;
  const retainedUntil = Number(end?.N ?? Infinity);
  if (Item === undefined || isExpiredOrErasing({ tokenHash: Item.tokenHash, retainedUntil }, credentials.atMs)) {
    return { outcome: 'unknown_lead' };
  }
  if (!isTokenValid(toStoredToken(Item), credentials)) return { outcome: 'invalid_token' };
  const values = fieldIds.flatMap((id): [string, string][] => {
    const json = Item[dataAttribute(id)]?.S;
    return json === undefined ? [] : [[id, json]];
  });
  return { outcome: 'found', lead: { values: new Map(values), verification: Item.verification?.S } };
}

const toStoredToken = ({ tokenHash, tokenExpiresAt }: Record<string, AttributeValue>) => ({
  tokenHash: tokenHash?.S ?? '',
  tokenExpiresAtMs: Number(tokenExpiresAt?.N),
});

const SET_VERIFICATION = 'SET verification = :after';
const SET_VERIFICATION_AND_CHANGE =
  `${SET_VERIFICATION}, verifiedSeq = if_not_exists(seq, :zero) + :one, changedAt = :at, ` +
  'dueShard = :shard, dueAt = :at, dispatchBy = :at ADD seq :one';

async function replace(
  credentials: LeadCredentials,
  { before, after, isVerification }: VerificationReplacement,
): Promise<boolean> {
  const unchangedCondition = before === undefined ? 'attribute_not_exists(verification)' : 'verification = :before';
  const command = new UpdateItemCommand({
    ...tableAndKey(credentials),
    UpdateExpression: isVerification ? SET_VERIFICATION_AND_CHANGE : SET_VERIFICATION,
    ConditionExpression: `tokenHash = :token AND tokenExpiresAt > :now AND ${unchangedCondition}`,
    ExpressionAttributeValues: {
      ':after': { S: after },
      ':token': { S: credentials.tokenHash },
      ':now': { N: `${credentials.atMs}` },
      ...(before !== undefined && { ':before': { S: before } }),
      ...(isVerification && changeValues(credentials)),
    },
  });
  return (await undefinedIfConditionFailed(dynamoClient().send(command))) !== undefined;
}

function changeValues(credentials: LeadCredentials): Record<string, AttributeValue> {
  const { dueShard, dueAt } = outboxOfCreationOrVerification(credentials, credentials.atMs);
  return { ':shard': { S: dueShard }, ':at': { S: dueAt }, ':zero': { N: '0' }, ':one': { N: '1' } };
}

function tableAndKey(credentials: LeadCredentials) {
  const { pk, sk } = leadItemKey(credentials);
  return { TableName: leadsTable(), Key: { pk: { S: pk }, sk: { S: sk } } };
}
