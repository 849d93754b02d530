import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { domainKey } from '../../../shared/domains/aws/keys.ts';
import { organizationFunnelKey } from '../../../shared/funnels/aws/keys.ts';
import { pageKey } from '../../../shared/landing-pages/aws/keys.ts';
import { memberKey, organizationKey, organizationListKey } from '../../../shared/organizations/aws/keys.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import { retryUnprocessed } from '../../../shared/platform/aws/retry-unprocessed.ts';
import { type PrimaryKey, prefixQuery } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { createDirectoryWriter } from '../../local/seed/directory-writer.ts';
import type { OrganizationAdminRepository } from './organization-admin.ts';

/** The maximum per request. */
const BATCH = 100;

/** Organizations in the directory table. */
export function createDynamoOrganizationAdminRepository(client: DynamoDBDocumentClient): OrganizationAdminRepository {
  const inTable = (at: PrimaryKey) => ({ TableName: requireSetting('directoryTable'), Key: at });
  return {
    add: (organization) => createDirectoryWriter().putOrganization(organization),
    find: async (orgId) => {
      const get = new GetCommand({ ...inTable(organizationKey(orgId)), ConsistentRead: true });
      return z.optional(Organization).parse((await client.send(get)).Item);
    },
    list: async function* () {
      const first = organizationListKey('');
      for await (const { Items = [] } of paginateQuery({ client, pageSize: BATCH }, prefixQuery(first))) {
        const found = await recordsOf(
          client,
          Items.map(({ sk }) => organizationKey(String(sk).slice(first.sk.length))),
        );
        for (const record of found) yield Organization.parse(record);
      }
    },
    update: async (orgId, changes) => {
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      const update = new UpdateCommand({
        ...inTable(organizationKey(orgId)),
        UpdateExpression: `SET ${given.map(([name]) => `#${name} = :${name}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries(given.map(([name]) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
        ReturnValues: 'ALL_NEW',
      });
      const changed = await undefinedIfConditionFailed(client.send(update));
      return changed && Organization.parse(changed.Attributes);
    },
    countResources: async (orgId) => {
      const [members, funnels, pages, domains] = await Promise.all(
        [memberKey, organizationFunnelKey, pageKey, domainKey].map((keyOf) => countOf(client, keyOf(orgId, ''))),
      );
      return { members: members ?? 0, funnels: funnels ?? 0, pages: pages ?? 0, domains: domains ?? 0 };
    },
  };
}

/** Excludes tombstones of pages whose copy was abandoned. */
const WITHOUT_TOMBSTONES = { FilterExpression: 'attribute_not_exists(tombstone)' };

async function countOf(client: DynamoDBDocumentClient, from: PrimaryKey): Promise<number> {
  let count = 0;
  for await (const page of paginateQuery(
    { client },
    { ...prefixQuery(from), ...WITHOUT_TOMBSTONES, Select: 'COUNT' },
  )) {
    count += page.Count ?? 0;
  }
  return count;
}

/** At most a hundred records; missing ones are omitted. */
async function recordsOf(
  client: DynamoDBDocumentClient,
  keys: readonly PrimaryKey[],
): Promise<Record<string, unknown>[]> {
  const table = requireSetting('directoryTable');
  const found: Record<string, unknown>[] = [];
  const isDone = await retryUnprocessed<Record<string, unknown>>(keys, async (Keys) => {
    const batch = new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await client.send(batch);
    found.push(...(Responses?.[table] ?? []));
    return UnprocessedKeys?.[table]?.Keys;
  });
  if (!isDone) throw new Error('DynamoDB is throttling: it did not return all requested organizations.');
  return found;
}
