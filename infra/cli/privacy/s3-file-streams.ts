import { GetObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../../shared/platform/aws/s3-client.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { undefinedIfMissing } from '../../../shared/uploads/aws/s3-file-store.ts';

export type FileStreams = {
  /** Opens the file with this storage path; undefined if the file does not exist. */
  open(path: string): Promise<AsyncIterable<Uint8Array> | undefined>;
};

export function createS3FileStreams(): FileStreams {
  return {
    open: async (path) => {
      const get = new GetObjectCommand({ Bucket: requireSetting('uploadsBucket'), Key: path });
      const found = await undefinedIfMissing(() => s3Client().send(get));
      return found?.Body?.transformToWebStream();
    },
  };
}
