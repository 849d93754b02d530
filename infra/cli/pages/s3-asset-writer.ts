import { PutObjectCommand } from '@aws-sdk/client-s3';
import { assetObjectKey } from '../../../shared/landing-pages/landing-page.ts';
import { s3Client } from '../../../shared/platform/aws/s3-client.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import type { AddPagePorts } from './add-page.ts';

/** Uploads an asset's file with its media type. Browsers show the file only if they get the media type. */
export const putAsset: AddPagePorts['files']['put'] = async (key, content, mimeType) => {
  const put = new PutObjectCommand({
    Bucket: requireSetting('uploadsBucket'),
    Key: assetObjectKey(key),
    Body: content,
    ContentType: mimeType,
  });
  await s3Client().send(put);
};
