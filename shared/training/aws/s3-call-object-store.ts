import { DeleteObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { deleteListed } from '../../platform/delete-listed.ts';
import { requireSetting } from '../../platform/settings.ts';
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
      deleteListed(
        () => pages(prefix),
        async (keys) => {
          for (const Key of keys)
            await s3Client().send(new DeleteObjectCommand({ Bucket: requireSetting('trainingBucket'), Key }));
        },
      ),
  };
}

async function* pages(Prefix: string): AsyncGenerator<string[]> {
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client: s3Client() },
    { Bucket: requireSetting('trainingBucket'), Prefix },
  ))
    yield Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
}
