import { DeleteObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { deleteListed } from '../../platform/delete-listed.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { CallObjectStore } from '../ports.ts';

/** The training bucket has no versioning, so that deleted objects are gone. */
export function createS3CallObjectStore(): CallObjectStore {
  return {
    count: async (prefix) => {
      let count = 0;
      for await (const keys of listPages(prefix)) count += keys.length;
      return count;
    },
    deleteAll: (prefix) =>
      deleteListed(
        () => listPages(prefix),
        async (keys) => {
          for (const Key of keys)
            await s3Client().send(new DeleteObjectCommand({ Bucket: requireSetting('trainingBucket'), Key }));
        },
      ),
  };
}

async function* listPages(Prefix: string): AsyncGenerator<string[]> {
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client: s3Client() },
    { Bucket: requireSetting('trainingBucket'), Prefix },
  ))
    yield Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
}
