import type { Clock } from '../../platform/clock.ts';
import { createFileAttacher } from '../attach-file.ts';
import { dynamoKeptUploads } from './dynamo-kept-uploads.ts';
import { createS3IncomingFileStore } from './s3-incoming-files.ts';

/** Files that leads refer to, kept in the uploads table and looked up in the bucket. */
export const leadFiles = (clock: Clock) =>
  createFileAttacher({ uploads: dynamoKeptUploads(), incoming: createS3IncomingFileStore(), clock });
