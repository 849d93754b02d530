import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { config } from '../platform/config.ts';
import { s3 } from '../platform/s3.ts';
import type { RemoveFilesPorts } from './remove-files.ts';

const AT_ONCE = 20;
/** For all attempts of a call together. */
const CALL_MS = 15_000;

const within = () => ({ abortSignal: AbortSignal.timeout(CALL_MS) });

/** Removes the files of pages from the bucket of uploads. */
export const s3PageLeftovers: RemoveFilesPorts['leftovers'] = {
  removeFile,
  removeFiles: async ({ orgId, pageId }, kept) => {
    const prefix = { Bucket: config('uploadsBucket'), Prefix: `${orgId}/${pageId}/` };
    let last: string | undefined;
    let isTruncated: boolean;
    do {
      // By the name: what was listed is gone by then.
      const list = new ListObjectsV2Command({ ...prefix, ...(last !== undefined && { StartAfter: last }) });
      const { Contents = [], IsTruncated } = await s3().send(list, within());
      const found = Contents.flatMap(({ Key }) => Key ?? []);
      await removeAll(found.filter((key) => !kept.has(key)));
      last = found.at(-1) ?? last;
      isTruncated = IsTruncated === true && found.length > 0;
    } while (isTruncated);
  },
};

async function removeAll(keys: string[]): Promise<void> {
  const work = async () => {
    for (let key = keys.shift(); key !== undefined; key = keys.shift()) await removeFile(key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function removeFile(key: string): Promise<void> {
  await s3().send(new DeleteObjectCommand({ Bucket: config('uploadsBucket'), Key: key }), within());
}
