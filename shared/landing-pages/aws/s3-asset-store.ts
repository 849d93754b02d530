import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { assetObjectKey } from '../landing-page.ts';
import type { AssetStore } from '../ports.ts';

/** All attempts together; many times what a copy of 100 MB takes. */
const COPY_MS = 6_000;

/** Assets in the bucket of uploads. */
export function createS3AssetStore(): AssetStore {
  return {
    copy: async (fromKey, toKey) => {
      const Bucket = requireSetting('uploadsBucket');
      const copy = new CopyObjectCommand({
        ...{ Bucket, Key: assetObjectKey(toKey), CopySource: `${Bucket}/${assetObjectKey(fromKey)}` },
        // Copying these, of which there are none, would need further permissions.
        TaggingDirective: 'REPLACE',
        AnnotationDirective: 'EXCLUDE',
      });
      const send = () => s3Client().send(copy, { abortSignal: AbortSignal.timeout(COPY_MS) });
      return rethrowAsUnavailable('Assets cannot be copied. Try again shortly.', async () => {
        try {
          await send();
          return 'copied';
        } catch (error) {
          if (error instanceof Error && error.name === 'NoSuchKey') return 'gone';
          throw error;
        }
      });
    },
  };
}
