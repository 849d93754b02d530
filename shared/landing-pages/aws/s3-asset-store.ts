import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { assetObjectKey } from '../landing-page.ts';
import type { AssetStore } from '../ports.ts';

/** Time limit of a copy, including its retries. Copying 100 MB takes a fraction of this time. */
const COPY_TIMEOUT_MS = 6_000;

export function createS3AssetStore(): AssetStore {
  return {
    copy: async (fromKey, toKey) => {
      const Bucket = requireSetting('uploadsBucket');
      const copy = new CopyObjectCommand({
        Bucket,
        Key: assetObjectKey(toKey),
        CopySource: `${Bucket}/${assetObjectKey(fromKey)}`,
        // Assets have neither tags nor annotations, and copying tags or annotations would need further permissions.
        TaggingDirective: 'REPLACE',
        AnnotationDirective: 'EXCLUDE',
      });
      return rethrowAsUnavailable('Assets cannot be copied. Try again shortly.', async () => {
        try {
          await s3Client().send(copy, { abortSignal: AbortSignal.timeout(COPY_TIMEOUT_MS) });
          return 'copied';
        } catch (error) {
          if (error instanceof Error && error.name === 'NoSuchKey') return 'missing';
          throw error;
        }
      });
    },
  };
}
