import type { Clock } from '../../shared/platform/clock.ts';
import { createFileAttacher } from '../../shared/uploads/attach-file.ts';
import { addLeadReference, findUpload } from '../../shared/uploads/aws/dynamo-upload-repository.ts';
import { createS3IncomingFileStore } from '../../shared/uploads/aws/s3-incoming-files.ts';

export const createAwsFileAttacher = (clock: Clock) =>
  createFileAttacher({
    uploads: { find: findUpload, addLeadReference },
    incoming: createS3IncomingFileStore(),
    clock,
  });
