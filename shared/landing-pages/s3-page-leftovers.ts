import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { config } from '../platform/config.ts';
import { s3 } from '../platform/s3.ts';
import type { Leftovers } from './sweep-copies.ts';

const AT_ONCE = 20;
/** For all attempts of a call together. */
const CALL_MS = 15_000;

/** Removes the objects below a page's prefix, from the bucket of uploads. */
export const removeFiles: Leftovers['removeFiles'] = async ({ orgId, pageId }) => {
  const Bucket = config('uploadsBucket');
  const within = () => ({ abortSignal: AbortSignal.timeout(CALL_MS) });
  let isTruncated: boolean;
  do {
    // From the start again: what was listed is gone by then.
    const list = new ListObjectsV2Command({ Bucket, Prefix: `${orgId}/${pageId}/` });
    const { Contents = [], IsTruncated } = await s3().send(list, within());
    const keys = Contents.flatMap(({ Key }) => Key ?? []);
    const work = async () => {
      for (let Key = keys.shift(); Key !== undefined; Key = keys.shift()) {
        await s3().send(new DeleteObjectCommand({ Bucket, Key }), within());
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    isTruncated = IsTruncated ?? false;
  } while (isTruncated);
};
