import { parseAssetKey } from './landing-page.ts';
import type { AssetReferenceRepository, PageWriteIntent, TombstoneRepository } from './ports.ts';

export type DeleteAssetsPorts = {
  assetReferences: AssetReferenceRepository;
  tombstones: Pick<TombstoneRepository, 'getRecordState'>;
  leftovers: {
    /** All objects that were copied or put for a page, but those of these keys. */
    deletePageAssets(attempt: PageWriteIntent, kept: ReadonlySet<string>): Promise<void>;
    /** Nothing need be there. */
    deleteAsset(key: string): Promise<void>;
  };
};

/**
 * Removes the files that a page leaves behind which no other one shows: its own, and those of pages that went before it.
 * Its record must be gone and its parts still there: can be repeated after a crash anywhere.
 */
export async function deleteUnreferencedAssets(ports: DeleteAssetsPorts, attempt: PageWriteIntent): Promise<void> {
  const { assetReferences: shared, leftovers } = ports;
  const kept = await claimedFrom(shared, attempt.pageId);
  await leftovers.deletePageAssets(attempt, kept);
  const others = Map.groupBy(await shared.listAssetKeys(attempt.pageId), (key) => othersPage(key, attempt));
  for (const [owner, keys] of others) if (owner !== undefined) await letGo(ports, attempt, { owner, keys });
}

const othersPage = (key: string, { orgId, pageId }: PageWriteIntent): string | undefined => {
  const owner = parseAssetKey(key);
  return owner?.orgId === orgId && owner.pageId !== pageId ? owner.pageId : undefined;
};

async function letGo(
  { assetReferences: shared, tombstones, leftovers }: DeleteAssetsPorts,
  { orgId, pageId }: PageWriteIntent,
  { owner, keys }: { owner: string; keys: readonly string[] },
): Promise<void> {
  // First, so that of two that go at once the later one sees that nobody is left.
  await shared.deleteReference(owner, pageId);
  if ((await tombstones.getRecordState({ orgId, pageId: owner })) === 'page') return;
  const kept = await claimedFrom(shared, owner);
  for (const key of keys) if (!kept.has(key)) await leftovers.deleteAsset(key);
}

/** The keys that other pages show among a page's files. */
async function claimedFrom(shared: AssetReferenceRepository, pageId: string): Promise<Set<string>> {
  const kept = new Set<string>();
  for (const sharer of await shared.listReferencingPages(pageId)) {
    for (const key of await shared.listAssetKeys(sharer)) if (parseAssetKey(key)?.pageId === pageId) kept.add(key);
  }
  return kept;
}
