import { PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { SET_ASIDE_PREFIX, type SetAside, setAsideJson } from './set-aside.ts';

/** One JSON object a record: its reason, where it comes from, and its bytes as base64. */
export function s3SetAside(): SetAside {
  return {
    put: async (record, reason) => {
      const { shard, sequenceNumber } = record;
      await s3Client().send(
        new PutObjectCommand({
          Bucket: requireSetting('setAsideBucket'),
          Key: `${SET_ASIDE_PREFIX}${shard}/${sequenceNumber}.json`,
          Body: setAsideJson(record, reason),
          ContentType: 'application/json',
        }),
      );
    },
  };
}
