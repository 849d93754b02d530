import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../../platform/aws/s3-client.ts';
import { requireSetting } from '../../../platform/settings.ts';
import { PARQUET_TYPE } from '../fact-files.ts';
import type { FactObjectReader, FactObjectWriter } from '../ports.ts';

/** Reads fact files from the facts bucket. */
export const createS3FactObjectReader = (): FactObjectReader => ({
  get: async (key) => {
    const { Body } = await s3Client().send(new GetObjectCommand({ Bucket: requireSetting('factsBucket'), Key: key }));
    if (Body === undefined) throw new Error(`S3 returned the fact file ${key} without a body.`);
    return Body.transformToByteArray();
  },
});

/** Writes fact files to the facts bucket. */
export const createS3FactObjectWriter = (): FactObjectWriter => ({
  put: async (key, bytes) => {
    await s3Client().send(
      new PutObjectCommand({ Bucket: requireSetting('factsBucket'), Key: key, Body: bytes, ContentType: PARQUET_TYPE }),
    );
  },
});
