import { DeleteObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { config } from '../../platform/config.ts';
import { removeListed } from '../../platform/remove-listed.ts';
import { s3 } from '../../platform/s3.ts';
import type { CallObjectStore } from '../erase-call.ts';

/** Objects of calls in the bucket of training, which keeps no old versions: what is removed is gone. */
export function createS3CallObjectStore(): CallObjectStore {
  return {
    count: async (prefix) => {
      let count = 0;
      for await (const keys of pages(prefix)) count += keys.length;
      return count;
    },
    deleteAll: (prefix) =>
      removeListed(
        () => pages(prefix),
        async (keys) => {
          for (const Key of keys) await s3().send(new DeleteObjectCommand({ Bucket: config('trainingBucket'), Key }));
        },
      ),
  };
}

async function* pages(Prefix: string): AsyncGenerator<string[]> {
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client: s3() },
    { Bucket: config('trainingBucket'), Prefix },
  ))
    yield Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
}
