import { randomUUID } from 'node:crypto';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { createHandler } from '../../../functions/landing-pages/copy/handler.ts';
import { copyLandingPageOperation } from '../../../functions/landing-pages/copy/operation.ts';
import { createDynamoCopyIdempotencyRepository } from '../../../shared/landing-pages/aws/dynamo-copy-idempotency-repository.ts';
import { createDynamoPageRepository } from '../../../shared/landing-pages/aws/dynamo-page-repository.ts';
import {
  createDynamoPageTombstoneRepository,
  createDynamoPageWriter,
} from '../../../shared/landing-pages/aws/dynamo-page-writer.ts';
import type { CopyPagePorts } from '../../../shared/landing-pages/copy-page.ts';
import {
  formatAssetKey,
  LandingPage,
  type PageAsset,
  type PageBlock,
  type PageWithParts,
} from '../../../shared/landing-pages/landing-page.ts';
import type { Role } from '../../../shared/organizations/membership.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { caller } from '../http.ts';
import { memoryLimiter } from '../memory-limiter.ts';
import { anOrganization } from '../organizations/members.ts';

const NOON = Date.UTC(2026, 4, 31, 12);
const CREATED_AT = '2026-05-01T08:00:00.000Z';

export const aBlock = (body: unknown = {}, position = 0): PageBlock => ({
  id: randomUUID(),
  position,
  kind: 'section',
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

function anAsset(orgId: string, pageId: string, size = 100): PageAsset {
  const id = randomUUID();
  const key = formatAssetKey(orgId, pageId, id, 'png');
  return { id, key, name: 'roof.png', mimeType: 'image/png', size, createdAt: CREATED_AT };
}

/** A page with `assets` assets. `blocks` creates its blocks from the page and its assets. */
export function aPage(
  orgId: string,
  overrides: Partial<LandingPage> & {
    assets?: number;
    blocks?: (page: Omit<PageWithParts, 'blocks'>) => PageBlock[];
  } = {},
): PageWithParts {
  const { assets: count = 0, blocks = () => [aBlock()], ...own } = overrides;
  const id = randomUUID();
  const page = LandingPage.parse({
    id,
    orgId,
    name: 'Solar for your roof',
    slug: 'solar',
    status: 'published',
    createdAt: CREATED_AT,
    updatedAt: CREATED_AT,
    domainId: randomUUID(),
    ...own,
  });
  const assets = Array.from({ length: count }, () => anAsset(orgId, id));
  return { page, assets, blocks: blocks({ page, assets }) };
}

/** Stores a page and its parts with the deployed adapter. */
export async function storedPage(whole: PageWithParts): Promise<PageWithParts> {
  await createDynamoPageWriter().putParts(whole.page.id, whole);
  await createDynamoPageWriter().commit(whole.page);
  return whole;
}

/** Reads all items of a page: its parts, and its record and write intent in the organization. */
export async function itemsOf({ id, orgId }: { id: string; orgId: string }): Promise<Record<string, unknown>[]> {
  const ofOrganization = await itemsUnder(`org#${orgId}`);
  return [...(await itemsUnder(`page#${id}`)), ...ofOrganization.filter(({ sk }) => String(sk).endsWith(`#${id}`))];
}

/** Reads all page records of an organization, including tombstones. */
export const pagesOf = async (orgId: string): Promise<Record<string, unknown>[]> =>
  (await itemsUnder(`org#${orgId}`)).filter(({ sk }) => String(sk).startsWith('page#'));

async function itemsUnder(pk: string): Promise<Record<string, unknown>[]> {
  const query = {
    TableName: 'directory',
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  };
  const found: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query)) found.push(...Items);
  return found;
}

function memoryFiles() {
  const objects = new Map<string, string>();
  return {
    objects,
    copy: async (from: string, to: string) => {
      const found = objects.get(from);
      if (found === undefined) return 'missing' as const;
      objects.set(to, found);
      return 'copied' as const;
    },
  };
}

type World = { ports?: Partial<CopyPagePorts>; limits?: Organization['limits'] };

/** Sets up two organizations with the same admin, a page, and the copy operation with in-memory files. */
export async function setUpCopy({ ports: replaced = {}, limits = {} }: World = {}) {
  const home = anOrganization();
  const away = { orgId: randomUUID() };
  const roles = new Map<string, Role>([
    [`${home.orgId}/${home.users.owner}`, 'owner'],
    [`${home.orgId}/${home.users.admin}`, 'admin'],
    [`${away.orgId}/${home.users.admin}`, 'admin'],
  ]);
  const clock = { ms: NOON, now: () => clock.ms };
  const files = memoryFiles();
  const counters = memoryLimiter();
  const organizations = [home.orgId, away.orgId].map((id) => Organization.parse({ id, name: 'Northlight', limits }));
  const ports: CopyPagePorts = {
    memberships: { findRole: async (orgId, userId) => roles.get(`${orgId}/${userId}`) },
    organizations: { find: async (id) => organizations.find((organization) => organization.id === id) },
    pages: createDynamoPageRepository(),
    writes: createDynamoPageWriter(),
    tombstones: createDynamoPageTombstoneRepository(),
    idempotencyRecords: createDynamoCopyIdempotencyRepository(),
    files,
    limiter: counters.limiter,
    clock,
    ids: systemIdGenerator,
    sleep: async (ms) => {
      clock.ms += ms;
    },
    ...replaced,
  };
  const source = await storedPage(aPage(home.orgId));
  const sendTo = (given: CopyPagePorts) =>
    caller(copyLandingPageOperation, createHandler({ ...given, authorization: home.authorization }));
  const copy = (
    body: unknown = { targetOrganizationId: away.orgId },
    {
      headers = {},
      pageId = source.page.id,
      orgId = home.orgId,
      as = 'admin',
      with: given = ports,
    }: RequestOptions = {},
  ) => sendTo(given)({ path: { orgId, pageId }, body, headers: { ...home.as(as), ...headers } });
  return { home, away, roles, clock, files, limits: counters, ports, source, copy };
}

type RequestOptions = {
  headers?: Record<string, string>;
  pageId?: string;
  orgId?: string;
  as?: 'owner' | 'admin' | 'member' | 'stranger';
  with?: CopyPagePorts;
};

/** Reads the copy whose id the response contains. @throws Error if the status is not 201 */
export async function copied(orgId: string, response: { status: number; body: unknown }): Promise<PageWithParts> {
  const pageId = String((response.body as { landingPageId?: unknown }).landingPageId);
  const page = await createDynamoPageRepository().find(orgId, pageId);
  if (response.status !== 201 || page === undefined)
    throw new Error(`No page was copied: status ${response.status}, ${JSON.stringify(response.body)}`);
  return { page, ...(await createDynamoPageRepository().getParts(pageId)) };
}
