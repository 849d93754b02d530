import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoClient } from '../../platform/aws/dynamo-client.ts';
import { once } from '../../platform/once.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { isEqualConstantTime } from '../../verification/code.ts';
import type { FindLeadOutcome, LeadCredentials, LeadVerificationRepository } from '../lead-verification.ts';
import { dataAttribute, isExpiredOrErasing, leadItemKey } from './lead-item.ts';
import { createExpressionAliases } from './update-expression.ts';

const NOT_AVAILABLE = 'Leads cannot be read. Try again shortly.';

const leadsTable = once(() => requireSetting('leadsTable'));

/** What verification keeps, in one attribute of the lead's item that no submit touches: one read, one conditional write. */
export function createDynamoLeadVerificationRepository(): LeadVerificationRepository {
  return {
    find: (proof, fieldIds) => rethrowAsUnavailable(NOT_AVAILABLE, () => find(proof, fieldIds)),
    replace: (proof, before, after) => rethrowAsUnavailable(NOT_AVAILABLE, () => replace(proof, before, after)),
  };
}

async function find(proof: LeadCredentials, fieldIds: readonly string[]): Promise<FindLeadOutcome> {
  const { name, names } = createExpressionAliases();
  const wanted = ['tokenHash', 'tokenExpiresAt', 'expiresAt', 'verification', ...fieldIds.map(dataAttribute)];
  const { Item } = await dynamoClient().send(
    new GetItemCommand({
      ...tableAndKey(proof),
      ConsistentRead: true,
      ProjectionExpression: [...new Set(wanted.map(name))].join(', '),
      ExpressionAttributeNames: names(),
    }),
  );
  const expiresAt = Number(Item?.expiresAt?.N ?? Infinity);
  if (Item === undefined || isExpiredOrErasing({ tokenHash: Item.tokenHash, expiresAt }, proof.atMs))
    return { outcome: 'unknown_lead' };
  if (!hasValidToken(Item, proof)) return { outcome: 'invalid_token' };
  const values = fieldIds.flatMap((id): [string, string][] => {
    const json = Item[dataAttribute(id)]?.S;
    return json === undefined ? [] : [[id, json]];
  });
  return { outcome: 'found', lead: { values: new Map(values), verification: Item.verification?.S } };
}

type Item = Record<string, AttributeValue>;

const hasValidToken = ({ tokenHash, tokenExpiresAt }: Item, proof: LeadCredentials): boolean =>
  isEqualConstantTime(tokenHash?.S ?? '', proof.tokenHash) && Number(tokenExpiresAt?.N) > proof.atMs;

async function replace(proof: LeadCredentials, before: string | undefined, after: string): Promise<boolean> {
  const unchanged = before === undefined ? 'attribute_not_exists(verification)' : 'verification = :before';
  const call = new UpdateItemCommand({
    ...tableAndKey(proof),
    UpdateExpression: 'SET verification = :after',
    ConditionExpression: `tokenHash = :token AND tokenExpiresAt > :now AND ${unchanged}`,
    ExpressionAttributeValues: {
      ':after': { S: after },
      ':token': { S: proof.tokenHash },
      ':now': { N: `${proof.atMs}` },
      ...(before !== undefined && { ':before': { S: before } }),
    },
  });
  return (await undefinedIfConditionFailed(dynamoClient().send(call))) !== undefined;
}

function tableAndKey(proof: LeadCredentials) {
  const { pk, sk } = leadItemKey(proof);
  return { TableName: leadsTable(), Key: { pk: { S: pk }, sk: { S: sk } } };
}
