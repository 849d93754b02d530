import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { createDynamoLeadRepository } from '../../../shared/leads/aws/dynamo-lead-repository.ts';
import type { LeadKey, LeadWrite } from '../../../shared/leads/lead.ts';
import { aLeadKey, aLeadWrite } from './lead-repository.ts';

export const documents = () => DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** A lead's item as it is stored. */
export async function readLeadItem({ funnelId, leadId }: LeadKey): Promise<Record<string, unknown>> {
  const Key = { pk: `lead#${funnelId}#${leadId}`, sk: 'lead' };
  const { Item } = await documents().send(new GetCommand({ TableName: 'leads', Key, ConsistentRead: true }));
  return Item ?? {};
}

/** The values of `data` as an export reads them from the item. */
export async function readLeadData(key: LeadKey): Promise<Record<string, unknown>> {
  const attributes = Object.entries(await readLeadItem(key)).filter(([name]) => name.startsWith('d.'));
  return Object.fromEntries(
    attributes.map(([name, json]) => [JSON.parse(`"${name.slice(2)}"`), JSON.parse(String(json))]),
  );
}

/** A submit that says this; null clears. */
export const aLeadWriteOf = (data: Record<string, unknown>, said: Partial<LeadWrite> = {}) =>
  aLeadWrite({
    changes: new Map(Object.entries(data).map(([key, value]) => [key, value === null ? null : JSON.stringify(value)])),
    ...said,
  });

/** A new stored lead. */
export async function storeLead(submit: LeadWrite = aLeadWrite()): Promise<LeadKey> {
  const key = aLeadKey();
  expect(await createDynamoLeadRepository().create(key, submit)).toEqual({ outcome: 'created' });
  return key;
}
