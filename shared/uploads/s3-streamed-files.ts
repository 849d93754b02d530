import { GetObjectCommand } from '@aws-sdk/client-s3';
import { config } from '../platform/config.ts';
import { s3 } from '../platform/s3.ts';
import { orAbsent } from './s3-objects.ts';

/** Files of the uploads bucket, which memory need not hold. */
export type StreamedFiles = {
  /** Its bytes as they come, by storage path; undefined when there is none. */
  open(path: string): Promise<AsyncIterable<Uint8Array> | undefined>;
};

export function s3StreamedFiles(): StreamedFiles {
  return {
    open: async (path) => {
      const get = new GetObjectCommand({ Bucket: config('uploadsBucket'), Key: path });
      const found = await orAbsent(() => s3().send(get));
      return found?.Body?.transformToWebStream();
    },
  };
}
