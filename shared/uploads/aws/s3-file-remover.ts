import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { UploadSweepPorts } from '../sweep-uploads.ts';
import { incomingPathOf } from '../upload.ts';

/** Files in the uploads bucket, for who only takes them away. */
export function s3FileRemover(): Pick<UploadSweepPorts['files'], 'delete' | 'deleteIncoming'> {
  const remove = async (Key: string) =>
    void (await s3Client().send(new DeleteObjectCommand({ Bucket: requireSetting('uploadsBucket'), Key })));
  return { delete: remove, deleteIncoming: (path) => remove(incomingPathOf(path)) };
}
