import { PutObjectCommand } from '@aws-sdk/client-s3';
import { config } from '../../platform/config.ts';
import { s3 } from '../../platform/s3.ts';
import { SET_ASIDE_PREFIX, type SetAside } from './set-aside.ts';

/** One JSON object a record: its reason, where it comes from, and its bytes as base64. */
export function s3SetAside(): SetAside {
  return {
    put: async ({ shard, sequenceNumber, data }, reason) => {
      const body = { reason, shard, sequenceNumber, data: Buffer.from(data).toString('base64') };
      await s3().send(
        new PutObjectCommand({
          Bucket: config('setAsideBucket'),
          Key: `${SET_ASIDE_PREFIX}${shard}/${sequenceNumber}.json`,
          Body: JSON.stringify(body),
          ContentType: 'application/json',
        }),
      );
    },
  };
}
