import type { PageAsset } from './landing-page.ts';
import type { AssetStore } from './ports.ts';

/** S3 takes thousands a second; more connections than this do not make it faster. */
const AT_ONCE = 50;
const ID_CHARACTERS = 36;

type Target = { orgId: string; pageId: string };
type CopyAssets = {
  assets: readonly PageAsset[];
  /** Whose they are. */
  orgId: string;
  target: Target;
  newId: () => string;
  createdAt: string;
  /** @throws when it is too late to begin another */
  refuseLate(): void;
};

/**
 * Copies assets within the store, many at once. No copy is under way any more when it ends, also when it fails.
 *
 * @returns by the id of each: the copy, or that there is none to be copied
 */
export async function copyAssets(
  files: AssetStore,
  { assets, orgId, target, newId, createdAt, refuseLate }: CopyAssets,
): Promise<Map<string, PageAsset | 'gone'>> {
  const fates = new Map<string, PageAsset | 'gone'>();
  const waiting = [...assets];
  let failed = false;
  const work = async () => {
    for (let asset = waiting.shift(); asset !== undefined && !failed; asset = waiting.shift()) {
      refuseLate();
      const id = newId();
      const copy = { ...asset, id, key: keyOf(asset, target, id), createdAt };
      // A record that leads to another organization's files was not written by us.
      const isTheirs = asset.key.startsWith(`${orgId}/`);
      const outcome = isTheirs ? await files.copy(asset.key, copy.key) : 'gone';
      fates.set(asset.id, outcome === 'copied' ? copy : 'gone');
    }
  };
  const workers = Array.from({ length: AT_ONCE }, () =>
    work().catch((cause: unknown) => {
      failed = true;
      throw cause;
    }),
  );
  const outcomes = await Promise.allSettled(workers);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return fates;
}

/** With what stands behind the asset's id: its extension. */
function keyOf({ id, key }: PageAsset, { orgId, pageId }: Target, newId: string): string {
  const at = key.lastIndexOf(id);
  return `${orgId}/${pageId}/${newId}${at === -1 ? '' : key.slice(at + ID_CHARACTERS)}`;
}
