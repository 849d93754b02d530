import { PutObjectCommand } from '@aws-sdk/client-s3';
import { config } from '../platform/config.ts';
import { s3 } from '../platform/s3.ts';
import type { AddPorts } from './add-page.ts';
import { assetObjectKey } from './landing-page.ts';

/** Puts assets of pages into the bucket of uploads, as the type that they are: pages show them. */
export const putAsset: AddPorts['files']['put'] = async (key, content, mimeType) => {
  const put = new PutObjectCommand({
    ...{ Bucket: config('uploadsBucket'), Key: assetObjectKey(key) },
    ...{ Body: content, ContentType: mimeType },
  });
  await s3().send(put);
};
