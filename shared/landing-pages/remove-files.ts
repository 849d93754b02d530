import { ownerOf } from './landing-page.ts';
import type { Attempt, SharedFiles, Tombstones } from './pages.ts';

export type RemoveFilesPorts = {
  shared: SharedFiles;
  tombstones: Pick<Tombstones, 'placeOf'>;
  leftovers: {
    /** All objects that were copied or put for a page, but those of these keys. */
    removeFiles(attempt: Attempt, kept: ReadonlySet<string>): Promise<void>;
    /** Nothing need be there. */
    removeFile(key: string): Promise<void>;
  };
};

/**
 * Removes the files that a page leaves behind which no other one shows: its own, and those of pages that went before it.
 * Its record must be gone and its parts still there: can be repeated after a crash anywhere.
 */
export async function removeFilesOf(ports: RemoveFilesPorts, attempt: Attempt): Promise<void> {
  const { shared, leftovers } = ports;
  const kept = await claimedFrom(shared, attempt.pageId);
  await leftovers.removeFiles(attempt, kept);
  const others = Map.groupBy(await shared.shownBy(attempt.pageId), (key) => othersPage(key, attempt));
  for (const [owner, keys] of others) if (owner !== undefined) await letGo(ports, attempt, { owner, keys });
}

const othersPage = (key: string, { orgId, pageId }: Attempt): string | undefined => {
  const owner = ownerOf(key);
  return owner?.orgId === orgId && owner.pageId !== pageId ? owner.pageId : undefined;
};

async function letGo(
  { shared, tombstones, leftovers }: RemoveFilesPorts,
  { orgId, pageId }: Attempt,
  { owner, keys }: { owner: string; keys: readonly string[] },
): Promise<void> {
  // First, so that of two that go at once the later one sees that nobody is left.
  await shared.giveUp(owner, pageId);
  if ((await tombstones.placeOf({ orgId, pageId: owner })) === 'page') return;
  const kept = await claimedFrom(shared, owner);
  for (const key of keys) if (!kept.has(key)) await leftovers.removeFile(key);
}

/** The keys that other pages show among a page's files. */
async function claimedFrom(shared: SharedFiles, pageId: string): Promise<Set<string>> {
  const kept = new Set<string>();
  for (const sharer of await shared.sharersOf(pageId)) {
    for (const key of await shared.shownBy(sharer)) if (ownerOf(key)?.pageId === pageId) kept.add(key);
  }
  return kept;
}
