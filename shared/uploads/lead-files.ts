import type { Clock } from '../platform/clock.ts';
import { dynamoKeptUploads } from './dynamo-kept-uploads.ts';
import { keptFiles } from './keep-file.ts';
import { s3SentFiles } from './s3-sent-files.ts';

/** Files that leads refer to, kept in the uploads table and looked up in the bucket. */
export const leadFiles = (clock: Clock) => keptFiles({ uploads: dynamoKeptUploads(), sent: s3SentFiles(), clock });
