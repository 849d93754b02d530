import { PutObjectCommand } from '@aws-sdk/client-s3';
import { config } from '../../platform/config.ts';
import { s3 } from '../../platform/s3.ts';
import { SET_ASIDE_PREFIX, type SetAside, setAsideJson } from './set-aside.ts';

/** One JSON object a record: its reason, where it comes from, and its bytes as base64. */
export function s3SetAside(): SetAside {
  return {
    put: async (record, reason) => {
      const { shard, sequenceNumber } = record;
      await s3().send(
        new PutObjectCommand({
          Bucket: config('setAsideBucket'),
          Key: `${SET_ASIDE_PREFIX}${shard}/${sequenceNumber}.json`,
          Body: setAsideJson(record, reason),
          ContentType: 'application/json',
        }),
      );
    },
  };
}
