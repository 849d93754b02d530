import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { toDomainItem } from '../../../shared/domains/aws/domain-item.ts';
import { domainKey, hostnameKey } from '../../../shared/domains/aws/keys.ts';
import type { CustomDomain, DomainIds } from '../../../shared/domains/domain.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import type { PrimaryKey } from '../../../shared/platform/aws/table-reader.ts';

export const NOON = Date.parse('2026-05-04T12:00:00.000Z');
export const isoAt = (ms: number): string => new Date(ms).toISOString();

export const aDomain = (overrides: Partial<CustomDomain> = {}): CustomDomain => ({
  id: randomUUID(),
  orgId: randomUUID(),
  hostname: `${randomUUID()}.example`,
  status: 'active',
  verificationToken: 'token',
  pageIds: [],
  tenantId: null,
  certificateArn: null,
  target: null,
  createdAt: isoAt(NOON),
  activatedAt: null,
  provisioning: null,
  removal: null,
  removalHoldUntil: null,
  dueAt: null,
  revision: 1,
  ...overrides,
});

const TableName = 'directory';

const storedRecord = async (at: PrimaryKey): Promise<Record<string, unknown> | undefined> =>
  (await dynamoDocumentClient().send(new GetCommand({ TableName, Key: at, ConsistentRead: true }))).Item;

export const putRecord = async (at: PrimaryKey, item: object): Promise<void> =>
  void (await dynamoDocumentClient().send(new PutCommand({ TableName, Item: { ...at, ...item } })));

/** Stores a domain and its hostname reservation in the directory table. */
export async function storedDomain(overrides: Partial<CustomDomain> = {}): Promise<CustomDomain> {
  const domain = aDomain(overrides);
  await putRecord(domainKey(domain.orgId, domain.id), toDomainItem(domain));
  await putRecord(hostnameKey(domain.hostname), {
    orgId: domain.orgId,
    domainId: domain.id,
    reservedAt: domain.createdAt,
  });
  return domain;
}

export const domainItem = ({ orgId, domainId }: DomainIds) => storedRecord(domainKey(orgId, domainId));
