import { parseAssetKey } from './landing-page.ts';
import type { AssetReferenceRepository, PageDeleter, PageTombstoneRepository, PageWriteIntent } from './ports.ts';

export type DeleteAssetsPorts = {
  assetReferences: AssetReferenceRepository;
  tombstones: Pick<PageTombstoneRepository, 'getRecordState'>;
  deleter: Pick<PageDeleter, 'deletePageAssets' | 'deleteAsset'>;
};

/**
 * Deletes the files of a page that was deleted or never committed, except files to which another page refers. If only
 * this page still referred to files of deleted pages, deletes these files, too. Call it when the page's own record is
 * gone, but its parts still exist. Can be repeated after a crash at any point.
 */
export async function deleteUnreferencedAssets(ports: DeleteAssetsPorts, intent: PageWriteIntent): Promise<void> {
  const { assetReferences, deleter } = ports;
  const referenced = await listReferencedKeys(assetReferences, intent.pageId);
  await deleter.deletePageAssets(intent, referenced);
  const keys = await assetReferences.listAssetKeys(intent.pageId);
  const keysByOwner = Map.groupBy(keys, (key) => findOtherOwner(key, intent));
  for (const [owner, ownerKeys] of keysByOwner) {
    if (owner !== undefined) await releaseAssets(ports, intent, { owner, keys: ownerKeys });
  }
}

/**
 * Returns the page that owns the file. Returns undefined if the owner is the page of the intent, or a page of another
 * organization.
 */
function findOtherOwner(key: string, { orgId, pageId }: PageWriteIntent): string | undefined {
  const owner = parseAssetKey(key);
  return owner?.orgId === orgId && owner.pageId !== pageId ? owner.pageId : undefined;
}

async function releaseAssets(
  { assetReferences, tombstones, deleter }: DeleteAssetsPorts,
  { orgId, pageId }: PageWriteIntent,
  { owner, keys }: { owner: string; keys: readonly string[] },
): Promise<void> {
  // This page's reference is deleted before the references of other pages are read. Otherwise, two concurrent deletions
  // could find each other's references, and both would keep the file.
  await assetReferences.deleteReference(owner, pageId);
  if ((await tombstones.getRecordState({ orgId, pageId: owner })) === 'page') return;
  const referenced = await listReferencedKeys(assetReferences, owner);
  for (const key of keys) if (!referenced.has(key)) await deleter.deleteAsset(key);
}

/** Returns the keys of the page's files to which other pages refer. */
async function listReferencedKeys(references: AssetReferenceRepository, pageId: string): Promise<Set<string>> {
  const referenced = new Set<string>();
  for (const referencingPage of await references.listReferencingPages(pageId)) {
    for (const key of await references.listAssetKeys(referencingPage)) {
      if (parseAssetKey(key)?.pageId === pageId) referenced.add(key);
    }
  }
  return referenced;
}
