import { PutObjectCommand } from '@aws-sdk/client-s3';
import { assetObjectKey } from '../../../shared/landing-pages/landing-page.ts';
import { config } from '../../../shared/platform/config.ts';
import { s3 } from '../../../shared/platform/s3.ts';
import type { AddPagePorts } from './add-page.ts';

/** Puts assets of pages into the bucket of uploads, as the type that they are: pages show them. */
export const putAsset: AddPagePorts['files']['put'] = async (key, content, mimeType) => {
  const put = new PutObjectCommand({
    ...{ Bucket: config('uploadsBucket'), Key: assetObjectKey(key) },
    ...{ Body: content, ContentType: mimeType },
  });
  await s3().send(put);
};
