import { BatchGetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { domainKey } from '../../../shared/domains/aws/keys.ts';
import { organizationFunnelKey } from '../../../shared/funnels/aws/keys.ts';
import { pageKey } from '../../../shared/landing-pages/aws/keys.ts';
import { memberKey, organizationKey, organizationListKey } from '../../../shared/organizations/aws/keys.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { retryUnprocessed } from '../../../shared/platform/aws/retry-unprocessed.ts';
import { type PrimaryKey, prefixQuery } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { UserError } from '../../common/user-error.ts';
import { createDirectoryWriter } from '../../local/seed/directory-writer.ts';
import { createRecordTable, recordsClient } from '../environment/record-table.ts';

/** Maximum number of items per BatchGetItem request, a limit of DynamoDB. */
const BATCH = 100;
const ListEntry = z.object({ sk: z.string() });

/** Gives operators access to organizations in the directory table. Reads are strongly consistent. */
export function createDynamoOrganizationAdminRepository(client = recordsClient()) {
  const { read, list, update } = createRecordTable('directoryTable', client);
  const find = (orgId: string) => read(Organization, organizationKey(orgId));
  return {
    /** Writes the list entry first and then the organization, so that every existing organization is listed. */
    add: (organization: Organization) => createDirectoryWriter().putOrganization(organization),
    find,
    /** Returns all organizations, in no particular order. */
    list: async (): Promise<Organization[]> => {
      const from = organizationListKey('');
      const ids = await Array.fromAsync(list(ListEntry, from), ({ sk }) => sk.slice(from.sk.length));
      const found: Organization[] = [];
      for (let at = 0; at < ids.length; at += BATCH) found.push(...(await readAll(client, ids.slice(at, at + BATCH))));
      return found;
    },
    /** Changes only the given attributes. @returns the changed organization; undefined if there is none with this id */
    update: async (orgId: string, { name, timezone }: { name?: string | undefined; timezone?: string | undefined }) => {
      const changes = { ...(name !== undefined && { name }), ...(timezone !== undefined && { timezone }) };
      return (await update(organizationKey(orgId), changes)) ? find(orgId) : undefined;
    },
    countResources: async (orgId: string) => ({
      members: await countItems(client, memberKey(orgId, '')),
      funnels: await countItems(client, organizationFunnelKey(orgId, '')),
      pages: await countItems(client, pageKey(orgId, '')),
      domains: await countItems(client, domainKey(orgId, '')),
    }),
  };
}

/** @throws UserError if there is no such organization */
export const requireOrganization = async (orgId: string): Promise<Organization> =>
  (await createDynamoOrganizationAdminRepository().find(orgId)) ?? throwUnknownOrganization(orgId);

export function throwUnknownOrganization(orgId: string): never {
  throw new UserError(`There is no organization ${orgId}: see "organizations list".`);
}

/** Excludes the tombstones of pages. */
const WITHOUT_TOMBSTONES = { FilterExpression: 'attribute_not_exists(tombstone)' };

async function countItems(client: ReturnType<typeof recordsClient>, from: PrimaryKey): Promise<number> {
  const query = { ...prefixQuery(from), ...WITHOUT_TOMBSTONES, Select: 'COUNT' as const };
  let count = 0;
  for await (const { Count = 0 } of paginateQuery({ client }, query)) count += Count;
  return count;
}

/** Reads organizations. Omits organizations that do not exist. @param ids at most `BATCH` ids */
async function readAll(client: ReturnType<typeof recordsClient>, ids: readonly string[]): Promise<Organization[]> {
  const table = requireSetting('directoryTable');
  const found: Organization[] = [];
  const isDone = await retryUnprocessed<Record<string, unknown>>(ids.map(organizationKey), async (Keys) => {
    const batch = new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await client.send(batch);
    found.push(...(Responses?.[table] ?? []).map((item) => Organization.parse(item)));
    return UnprocessedKeys?.[table]?.Keys;
  });
  if (!isDone) throw new Error('DynamoDB throttled the requests and did not return all organizations: try again.');
  return found;
}
