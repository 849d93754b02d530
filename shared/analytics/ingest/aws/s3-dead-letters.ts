import { PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../../platform/aws/s3-client.ts';
import { requireSetting } from '../../../platform/settings.ts';
import { DEAD_LETTER_PREFIX, encodeDeadLetter } from '../dead-letters.ts';
import type { DeadLetterStore } from '../ports.ts';

export function createS3DeadLetterStore(): DeadLetterStore {
  return {
    put: async (record, reason) => {
      const { shard, sequenceNumber } = record;
      await s3Client().send(
        new PutObjectCommand({
          Bucket: requireSetting('deadLettersBucket'),
          Key: `${DEAD_LETTER_PREFIX}${shard}/${sequenceNumber}.json`,
          Body: encodeDeadLetter(record, reason),
          ContentType: 'application/json',
        }),
      );
    },
  };
}
