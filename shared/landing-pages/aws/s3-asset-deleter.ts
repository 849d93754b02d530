import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { deleteListed } from '../../platform/delete-listed.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { DeleteAssetsPorts } from '../delete-unreferenced-assets.ts';
import { ASSETS_PREFIX, assetObjectKey } from '../landing-page.ts';
import type { PageWriteIntent } from '../ports.ts';

const AT_ONCE = 20;
/** For all attempts of a call together. */
const CALL_MS = 15_000;

const within = () => ({ abortSignal: AbortSignal.timeout(CALL_MS) });

/** Removes the files of pages from the bucket of uploads. */
export const s3AssetDeleter: DeleteAssetsPorts['leftovers'] = {
  deleteAsset: removeFile,
  deletePageAssets: async (attempt, kept) => {
    await deleteListed(() => pages(attempt, kept), removeAll);
  },
};

async function* pages({ orgId, pageId }: PageWriteIntent, kept: ReadonlySet<string>): AsyncGenerator<string[]> {
  const prefix = { Bucket: requireSetting('uploadsBucket'), Prefix: assetObjectKey(`${orgId}/${pageId}/`) };
  for (let last = '', more = true; more; ) {
    const list = new ListObjectsV2Command({ ...prefix, ...(last !== '' && { StartAfter: last }) });
    const { Contents = [], IsTruncated } = await s3Client().send(list, within());
    const found = Contents.flatMap(({ Key }) => Key ?? []);
    yield found.map((key) => key.slice(ASSETS_PREFIX.length)).filter((key) => !kept.has(key));
    last = found.at(-1) ?? last;
    more = IsTruncated === true && found.length > 0;
  }
}

async function removeAll(found: readonly string[]): Promise<void> {
  const keys = [...found];
  const work = async () => {
    for (let key = keys.shift(); key !== undefined; key = keys.shift()) await removeFile(key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function removeFile(key: string): Promise<void> {
  await s3Client().send(
    new DeleteObjectCommand({ Bucket: requireSetting('uploadsBucket'), Key: assetObjectKey(key) }),
    within(),
  );
}
