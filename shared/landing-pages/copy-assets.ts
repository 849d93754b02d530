import type { PageAsset } from './landing-page.ts';
import type { AssetStore } from './ports.ts';

/** More concurrent copies do not make copying faster. */
const CONCURRENCY = 50;
const ID_LENGTH = 36;

type Target = { orgId: string; pageId: string };
type CopyAssetsInput = {
  assets: readonly PageAsset[];
  /** The organization that owns the assets. */
  orgId: string;
  target: Target;
  newId: () => string;
  createdAt: string;
  /** Called before each copy. @throws HttpError 503 if the deadline has passed */
  assertInTime(): void;
};

/**
 * Copies the files of assets within the store, concurrently. When the returned promise settles, no copy is running any
 * more, even if the promise rejects.
 *
 * @returns a map from the id of each asset to its copy, or to `missing` if the organization has no such file
 */
export async function copyAssets(
  store: AssetStore,
  { assets, orgId, target, newId, createdAt, assertInTime }: CopyAssetsInput,
): Promise<Map<string, PageAsset | 'missing'>> {
  const copies = new Map<string, PageAsset | 'missing'>();
  const remaining = [...assets];
  let hasFailed = false;
  const work = async () => {
    for (let asset = remaining.shift(); asset !== undefined && !hasFailed; asset = remaining.shift()) {
      assertInTime();
      const id = newId();
      const copy = { ...asset, id, key: copyKey(asset, target, id), createdAt };
      // Never copies a file of another organization, even if the key of the asset refers to one.
      const isOwn = asset.key.startsWith(`${orgId}/`);
      const outcome = isOwn ? await store.copy(asset.key, copy.key) : 'missing';
      copies.set(asset.id, outcome === 'copied' ? copy : 'missing');
    }
  };
  const workers = Array.from({ length: CONCURRENCY }, () =>
    work().catch((cause: unknown) => {
      hasFailed = true;
      throw cause;
    }),
  );
  for (const outcome of await Promise.allSettled(workers)) if (outcome.status === 'rejected') throw outcome.reason;
  return copies;
}

/**
 * Returns the key of the copy. In `key`, the extension follows the asset's id. If `key` does not contain the id, the
 * key of the copy has no extension.
 */
function copyKey({ id, key }: PageAsset, { orgId, pageId }: Target, newId: string): string {
  const at = key.lastIndexOf(id);
  return `${orgId}/${pageId}/${newId}${at === -1 ? '' : key.slice(at + ID_LENGTH)}`;
}
