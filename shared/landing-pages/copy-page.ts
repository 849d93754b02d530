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
  parseAssetKey,
  TEXT_BYTES_MAX,
  UNCOPIED_ASSETS_MAX,
} from './landing-page.ts';
import type { AssetStore, PageParts, PageRepository } from './ports.ts';
import type { PageWithParts } from './rewriting/rewrite-page.ts';
import { type WritePagePorts, writePage } from './write-page.ts';

/** With what may still be under way then, less than the gateway's 29 s. */
const COPY_MS = 22_000;

export const CopyRequest = withDocs(
  strictObject({
    targetOrganizationId: withDocs(uuid, docText('Whose the copy is. The source’s own organization is allowed.')),
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
  /** The Idempotency-Key. */
  key: string | undefined;
  rawBody: string;
  log: Logger;
};

type Copy = CopyPageInput & { target: Organization; newPageId: string; deadlineMs: number };

/**
 * Copies a page into an organization of the caller's, as a draft.
 *
 * @returns the copy's id
 * @throws Problem 400, 403 for the target, 404 for the page, 429 for the target's day, 503
 */
export async function copyPage(ports: CopyPagePorts, asked: CopyPageInput): Promise<string> {
  const deadlineMs = ports.clock.now() + COPY_MS;
  const copy = { ...asked, target: await targetOf(ports, asked), newPageId: ports.ids.uuid(), deadlineMs };
  return asked.key === undefined ? makeCopy(ports, copy) : makeCopyOnce(ports, copy, asked.key);
}

/** The same refusal whether the target is there or not. */
async function targetOf(
  { memberships, organizations }: CopyPagePorts,
  { userId, body }: CopyPageInput,
): Promise<Organization> {
  const id = body.targetOrganizationId;
  const [role, target] = await Promise.all([memberships.findRole(id, userId), organizations.find(id)]);
  if (role !== undefined && hasAtLeastRole(role, 'admin') && target !== undefined) return target;
  throw new HttpError(403, 'This requires the role admin or higher in the target organization as well.');
}

async function makeCopyOnce(ports: CopyPagePorts, copy: Copy, key: string): Promise<string> {
  const { rawBody, log, newPageId, target, deadlineMs } = copy;
  const place = { sourcePageId: copy.pageId, userId: copy.userId, key };
  const requireSource = () => findSource(ports, copy);
  const claim = { place, rawBody, orgId: target.id, newPageId, deadlineMs, requireSource };
  const { pageId, isOwner: isMine } = await createOrJoinCopy(ports, claim);
  if (!isMine) return pageId;
  const settle = (state: 'copied' | 'failed') => completeIdempotencyRecord(ports, { place, pageId, state, log });
  try {
    await makeCopy(ports, copy);
  } catch (cause) {
    await settle('failed');
    throw cause;
  }
  await settle('copied');
  return pageId;
}

async function makeCopy(ports: CopyPagePorts, copy: Copy): Promise<string> {
  const { newPageId, target, log, body, deadlineMs } = copy;
  const source = await sourceOf(ports, copy);
  const foreign =
    target.id === copy.orgId ? NOTHING : await ports.pages.listOrganizationReferences(copy.orgId, target.id);
  const place = { orgId: target.id, pageId: newPageId };
  const write = (giveBack: (bytes: number) => Promise<void>) => {
    const make = async () => {
      const createdAt = new Date(ports.clock.now()).toISOString();
      const assets = body.copyAssets ? await assetsFor(ports, copy, { source, createdAt }) : new Map();
      const gone = source.assets.filter(({ id }) => assets.get(id) === 'gone');
      if (gone.length > 0) log.recordMetric('PageAssetsGone', gone.length);
      await giveBack(bytesOf(gone));
      const { rewritePage } = await import('./rewriting/rewrite-page.ts');
      return rewritePage({ source, target: place, assets, foreign, newId: ports.ids.uuid, createdAt });
    };
    const verify = (made: PageWithParts) => refuseGone(ports, copy, made);
    return writePage(ports, { attempt: place, deadlineMs, log }, make, verify);
  };
  const bytes = body.copyAssets ? bytesOf(source.assets) : 0;
  if (bytes === 0) await write(async () => undefined);
  else await withUploadQuota(ports.limiter, { organization: target, bytes, log }, write);
  log.recordMetric('PagesCopied');
  return newPageId;
}

const NOTHING = { ids: [], hostnames: [] };

const bytesOf = (assets: readonly { size: number }[]): number => assets.reduce((sum, { size }) => sum + size, 0);

/** @throws Problem 404, 400 for a page that is too large */
async function sourceOf(ports: CopyPagePorts, copy: Copy): Promise<PageWithParts> {
  const found = await findSource(ports, copy);
  const parts = await ports.pages.getParts(copy.pageId);
  refuseTooLarge(parts, found, copy.body.copyAssets);
  // Removal deletes the page's own record first: while that record exists, all parts were there.
  const page = await findSource(ports, copy);
  return { page, ...parts };
}

/** @throws Problem 404 */
async function findSource({ pages }: CopyPagePorts, { orgId, pageId }: Copy): Promise<LandingPage> {
  const page = await pages.find(orgId, pageId);
  if (page === undefined) throw noPage();
  return page;
}

/** A source that is removed meanwhile spares the files of pages whose claim on them it sees, and of no others. */
async function refuseGone({ pages }: CopyPagePorts, { orgId, pageId, newPageId }: Copy, { assets }: PageWithParts) {
  const isSharing = assets.some(({ key }) => parseAssetKey(key)?.pageId !== newPageId);
  if (isSharing && (await pages.find(orgId, pageId)) === undefined) throw noPage();
}

const noPage = (): HttpError =>
  new HttpError(404, 'There is no landing page with this id in the organization (path.pageId).');

function refuseTooLarge(
  { blocks, assets }: PageParts,
  { css, settings }: { css: string; settings: string },
  withAssets: boolean,
) {
  const assetsMax = withAssets ? COPIED_ASSETS_MAX : UNCOPIED_ASSETS_MAX;
  const texts = [css, settings, ...blocks.map(({ body }) => body)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (assets.length > assetsMax) throw tooLarge(`it has more than ${assetsMax} assets`);
  if (blocks.length > BLOCKS_MAX) throw tooLarge(`it has more than ${BLOCKS_MAX} blocks`);
  if (bytes > TEXT_BYTES_MAX) throw tooLarge(`its texts have more than ${TEXT_BYTES_MAX} bytes`);
}

const tooLarge = (why: string): HttpError => new HttpError(400, `The page is too large to copy: ${why}.`);

function assetsFor(
  { files, ids, clock }: CopyPagePorts,
  { orgId, newPageId, target, deadlineMs }: Copy,
  { source, createdAt }: { source: PageWithParts; createdAt: string },
) {
  return copyAssets(files, {
    ...{ assets: source.assets, orgId, createdAt },
    target: { orgId: target.id, pageId: newPageId },
    newId: ids.uuid,
    refuseLate: () => {
      if (clock.now() > deadlineMs) {
        throw new HttpError(503, 'The assets could not be copied in time. Nothing was copied. Try again.', {
          headers: { 'Retry-After': '5' },
        });
      }
    },
  });
}
