import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { config } from '../../platform/config.ts';
import { s3 } from '../../platform/s3.ts';
import type { UploadSweepPorts } from '../sweep-uploads.ts';
import { incomingPathOf } from '../upload.ts';

/** Files in the uploads bucket, for who only takes them away. */
export function s3FileRemover(): Pick<UploadSweepPorts['files'], 'delete' | 'deleteIncoming'> {
  const remove = async (Key: string) =>
    void (await s3().send(new DeleteObjectCommand({ Bucket: config('uploadsBucket'), Key })));
  return { delete: remove, deleteIncoming: (path) => remove(incomingPathOf(path)) };
}
