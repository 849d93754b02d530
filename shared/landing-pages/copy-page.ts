import * as z from 'zod/mini';
import { HttpError } from '../http/errors.ts';
import { docText, withDocs } from '../http/schema-docs.ts';
import { strictObject, uuid } from '../http/schemas.ts';
import { hasAtLeastRole } from '../organizations/membership.ts';
import type { Organization } from '../organizations/organization.ts';
import type { MembershipRepository, OrganizationRepository } from '../organizations/ports.ts';
import type { IdGenerator } from '../platform/id-generator.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import { withUploadQuota } from '../uploads/upload-quota.ts';
import { copyAssets } from './copy-assets.ts';
import { type CopyIdempotencyPorts, completeIdempotencyRecord, createOrJoinCopy } from './copy-idempotency.ts';
import {
  BLOCKS_MAX,
  COPIED_ASSETS_MAX,
  type LandingPage,
  type PageAsset,
  type PageWithParts,
  parseAssetKey,
  TEXT_BYTES_MAX,
  UNCOPIED_ASSETS_MAX,
} from './landing-page.ts';
import type { AssetStore, OrganizationReferences, PageRepository } from './ports.ts';
import { type WritePagePorts, writePage } from './write-page.ts';

/** Time limit of a copy. It leaves time for running requests to AWS to end before the gateway's timeout of 29 s. */
const COPY_TIMEOUT_MS = 22_000;

export const CopyRequest = withDocs(
  strictObject({
    targetOrganizationId: withDocs(
      uuid,
      docText('The organization that gets the copy. The source’s own organization is allowed.'),
    ),
    copyAssets: z._default(z.boolean(), false),
  }),
  { id: 'PageCopy' },
);

export type CopyPagePorts = CopyIdempotencyPorts &
  WritePagePorts & {
    memberships: MembershipRepository;
    organizations: Pick<OrganizationRepository, 'find'>;
    pages: PageRepository;
    files: AssetStore;
    limiter: RateLimiter;
    ids: IdGenerator;
  };

type CopyPageInput = {
  orgId: string;
  pageId: string;
  userId: string;
  body: z.output<typeof CopyRequest>;
  idempotencyKey: string | undefined;
  rawBody: string;
  log: Logger;
};

type CopyContext = CopyPageInput & { target: Organization; newPageId: string; deadlineMs: number };

/**
 * Copies a page into an organization in which the user has the role admin or higher. The copy is a draft.
 *
 * @returns the id of the copy
 * @throws HttpError 400 if the page is too large or the idempotency key was used with another body, 403 if the user
 *   lacks the role in the target organization, 404 if there is no source page, 429 if the daily upload quota of the
 *   target organization is exceeded, 503 if the copy takes too long; UnavailableError
 */
export async function copyPage(ports: CopyPagePorts, input: CopyPageInput): Promise<string> {
  const deadlineMs = ports.clock.now() + COPY_TIMEOUT_MS;
  const target = await getTargetOrganization(ports, input);
  const context = { ...input, target, newPageId: ports.ids.uuid(), deadlineMs };
  if (input.idempotencyKey === undefined) return createCopy(ports, context);
  return createCopyOnce(ports, context, input.idempotencyKey);
}

/**
 * Responds in the same way to a missing role and to a missing organization, so that the response does not reveal
 * whether the target organization exists.
 *
 * @throws HttpError 403
 */
async function getTargetOrganization(
  { memberships, organizations }: CopyPagePorts,
  { userId, body }: CopyPageInput,
): Promise<Organization> {
  const id = body.targetOrganizationId;
  const [role, target] = await Promise.all([memberships.findRole(id, userId), organizations.find(id)]);
  if (role !== undefined && hasAtLeastRole(role, 'admin') && target !== undefined) return target;
  throw new HttpError(
    403,
    'Copying also requires the role admin or higher in the target organization (body.targetOrganizationId).',
  );
}

async function createCopyOnce(ports: CopyPagePorts, context: CopyContext, idempotencyKey: string): Promise<string> {
  const { rawBody, log, newPageId, target, deadlineMs } = context;
  const key = { sourcePageId: context.pageId, userId: context.userId, key: idempotencyKey };
  const requireSource = () => getSourcePage(ports, context);
  const request = { key, rawBody, orgId: target.id, newPageId, deadlineMs, requireSource };
  const { pageId, isOwner } = await createOrJoinCopy(ports, request);
  if (!isOwner) return pageId;
  const complete = (state: 'copied' | 'failed') => completeIdempotencyRecord(ports, { key, pageId, state, log });
  try {
    await createCopy(ports, context);
  } catch (cause) {
    await complete('failed');
    throw cause;
  }
  await complete('copied');
  return pageId;
}

const NO_REFERENCES: OrganizationReferences = { ids: [], hostnames: [] };

async function createCopy(ports: CopyPagePorts, context: CopyContext): Promise<string> {
  const { newPageId, target, log, body, deadlineMs } = context;
  const source = await readSource(ports, context);
  const isSameOrganization = target.id === context.orgId;
  const foreign = isSameOrganization
    ? NO_REFERENCES
    : await ports.pages.listOrganizationReferences(context.orgId, target.id);
  const intent = { orgId: target.id, pageId: newPageId };
  const write = (refund: (bytes: number) => Promise<void>) => {
    const create = async () => {
      const createdAt = new Date(ports.clock.now()).toISOString();
      const assets: ReadonlyMap<string, PageAsset | 'missing'> = body.copyAssets
        ? await copySourceAssets(ports, context, { source, createdAt })
        : new Map();
      const missing = source.assets.filter(({ id }) => assets.get(id) === 'missing');
      if (missing.length > 0) log.recordMetric('PageAssetsMissing', missing.length);
      await refund(totalBytes(missing));
      const { rewritePage } = await import('./rewriting/rewrite-page.ts');
      return rewritePage({ source, target: intent, assets, foreign, newId: ports.ids.uuid, createdAt });
    };
    const verify = (copy: PageWithParts) => assertSharedFilesRemain(ports, context, copy);
    return writePage(ports, { intent, deadlineMs, log }, create, verify);
  };
  const bytes = body.copyAssets ? totalBytes(source.assets) : 0;
  if (bytes === 0) await write(async () => undefined);
  else await withUploadQuota(ports.limiter, { organization: target, bytes, log }, write);
  log.recordMetric('PagesCopied');
  return newPageId;
}

const totalBytes = (assets: readonly { size: number }[]): number => assets.reduce((sum, { size }) => sum + size, 0);

/** @throws HttpError 404 if there is no source page, 400 if the page is too large */
async function readSource(ports: CopyPagePorts, context: CopyContext): Promise<PageWithParts> {
  const found = await getSourcePage(ports, context);
  const parts = await ports.pages.getParts(context.pageId);
  assertCopyable({ page: found, ...parts }, context.body.copyAssets);
  // The deletion of a page begins with the page's record. If the record still exists, the parts that were read are
  // complete.
  const page = await getSourcePage(ports, context);
  return { page, ...parts };
}

/** @throws HttpError 404 */
async function getSourcePage({ pages }: CopyPagePorts, { orgId, pageId }: CopyContext): Promise<LandingPage> {
  const page = await pages.find(orgId, pageId);
  if (page === undefined) throw pageNotFound();
  return page;
}

/**
 * If the source was deleted in the meantime, rejects a copy that shares files with the source. The deletion may have
 * missed the references of the copy, and may have deleted the shared files.
 *
 * @throws HttpError 404
 */
async function assertSharedFilesRemain(
  { pages }: CopyPagePorts,
  { orgId, pageId, newPageId }: CopyContext,
  { assets }: PageWithParts,
): Promise<void> {
  const sharesFiles = assets.some(({ key }) => parseAssetKey(key)?.pageId !== newPageId);
  if (sharesFiles && (await pages.find(orgId, pageId)) === undefined) throw pageNotFound();
}

const pageNotFound = (): HttpError =>
  new HttpError(404, 'There is no landing page with this id in the organization (path.pageId).');

function assertCopyable({ page, blocks, assets }: PageWithParts, copiesAssets: boolean): void {
  const assetsMax = copiesAssets ? COPIED_ASSETS_MAX : UNCOPIED_ASSETS_MAX;
  const texts = [page.css, page.settings, ...blocks.map(({ body }) => body)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (assets.length > assetsMax) throw pageTooLarge(`it has more than ${assetsMax} assets`);
  if (blocks.length > BLOCKS_MAX) throw pageTooLarge(`it has more than ${BLOCKS_MAX} blocks`);
  if (bytes > TEXT_BYTES_MAX) throw pageTooLarge(`its texts have more than ${TEXT_BYTES_MAX} bytes`);
}

const pageTooLarge = (reason: string): HttpError => new HttpError(400, `The page is too large to copy: ${reason}.`);

function copySourceAssets(
  { files, ids, clock }: CopyPagePorts,
  { orgId, newPageId, target, deadlineMs }: CopyContext,
  { source, createdAt }: { source: PageWithParts; createdAt: string },
): Promise<Map<string, PageAsset | 'missing'>> {
  return copyAssets(files, {
    assets: source.assets,
    orgId,
    createdAt,
    target: { orgId: target.id, pageId: newPageId },
    newId: ids.uuid,
    assertInTime: () => {
      if (clock.now() <= deadlineMs) return;
      throw new HttpError(503, 'The page was not copied, because copying its assets took too long. Try again.', {
        headers: { 'Retry-After': '5' },
      });
    },
  });
}
