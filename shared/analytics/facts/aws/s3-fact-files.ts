import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { s3Client } from '../../../platform/aws/s3-client.ts';
import type { NoncurrentVersions } from '../../../platform/object-store.ts';
import { requireSetting } from '../../../platform/settings.ts';
import { FACTS_PREFIX, factObjectKey, PARQUET_TYPE } from '../fact-files.ts';
import type { FactFileStore } from '../ports.ts';

/** Matches the keys that `factObjectKey` builds. Other objects below the prefix are ignored. */
const FACT_OBJECT_KEY = new RegExp(`^${FACTS_PREFIX}funnel_id=([0-9a-f-]{36}/[0-9A-HJKMNP-TV-Z]{26})\\.parquet$`);

// Separate factories, so that a bundle contains only the calls that its Lambda function may make.

export const createS3FactFileReader = (): Pick<FactFileStore, 'get'> => ({
  get: async (name) => {
    const Key = factObjectKey({ name });
    const { Body } = await s3Client().send(new GetObjectCommand({ Bucket: requireSetting('factsBucket'), Key }));
    if (Body === undefined) throw new Error(`S3 returned the fact file ${Key} without a body.`);
    return Body.transformToByteArray();
  },
});

export const createS3FactFileWriter = (): Pick<FactFileStore, 'put'> => ({
  put: async (name, bytes) => {
    const Key = factObjectKey({ name });
    await s3Client().send(
      new PutObjectCommand({ Bucket: requireSetting('factsBucket'), Key, Body: bytes, ContentType: PARQUET_TYPE }),
    );
  },
});

/** @param oldVersions purges noncurrent versions in the facts bucket */
export const createS3FactFileRemover = (oldVersions: NoncurrentVersions): Pick<FactFileStore, 'list' | 'remove'> => ({
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
    // The delete marker makes all versions of the object noncurrent, so that `oldVersions.remove` deletes all of them.
    await s3Client().send(new DeleteObjectCommand({ Bucket: requireSetting('factsBucket'), Key }));
    if (purgeVersions) await oldVersions.remove(Key);
  },
});
