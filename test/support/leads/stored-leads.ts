import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { createDynamoLeadRepository } from '../../../shared/leads/aws/dynamo-lead-repository.ts';
import type { LeadKey } from '../../../shared/leads/lead.ts';
import type { LeadChange } from '../../../shared/leads/ports.ts';
import { aLeadChange, aLeadKey } from './lead-repository.ts';

export const documents = () => DynamoDBDocumentClient.from(new DynamoDBClient({}));

export async function readLeadItem({ funnelId, leadId }: LeadKey): Promise<Record<string, unknown>> {
  const Key = { pk: `lead#${funnelId}#${leadId}`, sk: 'lead' };
  const { Item } = await documents().send(new GetCommand({ TableName: 'leads', Key, ConsistentRead: true }));
  return Item ?? {};
}

/** Reads the stored item of a lead and returns the parsed values of `data`. */
export async function readLeadData(key: LeadKey): Promise<Record<string, unknown>> {
  const attributes = Object.entries(await readLeadItem(key)).filter(([name]) => name.startsWith('d.'));
  return Object.fromEntries(
    attributes.map(([name, json]) => [JSON.parse(`"${name.slice(2)}"`), JSON.parse(String(json))]),
  );
}

/** A change with this data. Null clears a key. */
export const aLeadChangeOf = (data: Record<string, unknown>, overrides: Partial<LeadChange> = {}) =>
  aLeadChange({
    dataChanges: new Map(
      Object.entries(data).map(([key, value]) => [key, value === null ? null : JSON.stringify(value)]),
    ),
    ...overrides,
  });

export async function storeLead(submit: LeadChange = aLeadChange()): Promise<LeadKey> {
  const key = aLeadKey();
  expect(await createDynamoLeadRepository().create(key, submit)).toEqual({ outcome: 'created' });
  return key;
}

/** Changes a stored lead to the format of an earlier release, which stored the end of retention as TTL attribute. */
export async function toOldRetention(key: LeadKey): Promise<void> {
  const { retainedUntil: expiresAt, ...item } = await readLeadItem(key);
  await documents().send(new PutCommand({ TableName: 'leads', Item: { ...item, expiresAt } }));
}
