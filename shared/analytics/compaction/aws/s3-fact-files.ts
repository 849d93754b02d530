import { DeleteObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { s3Client } from '../../../platform/aws/s3-client.ts';
import type { NoncurrentVersions } from '../../../platform/object-store.ts';
import { requireSetting } from '../../../platform/settings.ts';
import { FACTS_PREFIX, factObjectKey } from '../../facts/fact-files.ts';
import type { FactFileStore } from '../ports.ts';

/** Keys as `factObjectKey` builds them. Other objects below the prefix are ignored. */
const FACT_OBJECT_KEY = new RegExp(`^${FACTS_PREFIX}funnel_id=([0-9a-f-]{36}/[0-9A-HJKMNP-TV-Z]{26})\\.parquet$`);

/** Fact files in the facts bucket. @param oldVersions of the same bucket */
export function createS3FactFileStore(oldVersions: NoncurrentVersions): FactFileStore {
  return {
    list: async function* () {
      const pages = paginateListObjectsV2(
        { client: s3Client() },
        { Bucket: requireSetting('factsBucket'), Prefix: FACTS_PREFIX },
      );
      for await (const { Contents = [] } of pages) {
        yield Contents.flatMap(({ Key = '', LastModified }) => {
          const name = FACT_OBJECT_KEY.exec(Key)?.[1];
          return name === undefined || LastModified === undefined ? [] : [{ name, storedMs: LastModified.getTime() }];
        });
      }
    },
    remove: async (name, purgeVersions) => {
      const Key = factObjectKey({ name });
      // First add a delete marker, so that all versions of the object are noncurrent.
      await s3Client().send(new DeleteObjectCommand({ Bucket: requireSetting('factsBucket'), Key }));
      if (purgeVersions) await oldVersions.remove(Key);
    },
  };
}
