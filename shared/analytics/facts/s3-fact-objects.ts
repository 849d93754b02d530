import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { config } from '../../platform/config.ts';
import { s3 } from '../../platform/s3.ts';
import { type FactObjectReader, type FactObjectWriter, PARQUET_TYPE } from './fact-files.ts';

/** Reads fact files from the facts bucket. */
export const s3FactObjectReader = (): FactObjectReader => ({
  get: async (key) => {
    const { Body } = await s3().send(new GetObjectCommand({ Bucket: config('factsBucket'), Key: key }));
    if (Body === undefined) throw new Error(`The fact file ${key} came without a body.`);
    return Body.transformToByteArray();
  },
});

/** Writes fact files to the facts bucket. */
export const s3FactObjectWriter = (): FactObjectWriter => ({
  put: async (key, bytes) => {
    await s3().send(
      new PutObjectCommand({ Bucket: config('factsBucket'), Key: key, Body: bytes, ContentType: PARQUET_TYPE }),
    );
  },
});
