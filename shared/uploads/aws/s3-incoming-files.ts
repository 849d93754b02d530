import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { IncomingFileStore } from '../ports.ts';
import { incomingPathOf } from '../upload.ts';
import { OPAQUE_TYPE, readObjectHead, STORAGE_CLASS } from './s3-file-store.ts';

const NOT_AVAILABLE = 'Uploaded files are not available. Try again shortly.';

/**
 * Time limit of a copy, much longer than a copy of 100 MB takes. Together with the time limit for reading the
 * first bytes of the file, it is below the timeout of a submit.
 */
const COPY_TIMEOUT_MS = 6_000;

/**
 * Names of the errors that S3 returns if the source has changed or is missing, or if the target exists or is being
 * written.
 */
const CONFLICTS: ReadonlySet<string> = new Set(['PreconditionFailed', 'NoSuchKey', 'ConditionalRequestConflict']);

/** Direct uploads in the uploads bucket. The methods throw UnavailableError while the bucket is unavailable. */
export const createS3IncomingFileStore = (): IncomingFileStore => ({
  head: (path, bytes) => rethrowAsUnavailable(NOT_AVAILABLE, () => readObjectHead(incomingPathOf(path), bytes)),
  promote: (path, etag) => rethrowAsUnavailable(NOT_AVAILABLE, () => promote(path, etag)),
});

/**
 * Copies an object of at most 5 GB within S3. `IfNoneMatch` protects an existing file, which the sweeper may already
 * have inspected and cleaned.
 */
async function promote(path: string, etag: string): Promise<boolean> {
  const Bucket = requireSetting('uploadsBucket');
  const copy = new CopyObjectCommand({
    Bucket,
    Key: path,
    CopySource: `${Bucket}/${incomingPathOf(path)}`,
    CopySourceIfMatch: etag,
    IfNoneMatch: '*',
    MetadataDirective: 'REPLACE',
    ContentType: OPAQUE_TYPE,
    StorageClass: STORAGE_CLASS,
    // Objects have neither tags nor annotations. Copying tags and annotations would need further permissions.
    TaggingDirective: 'REPLACE',
    AnnotationDirective: 'EXCLUDE',
  });
  try {
    await s3Client().send(copy, { abortSignal: AbortSignal.timeout(COPY_TIMEOUT_MS) });
    return true;
  } catch (error) {
    if (!(error instanceof Error && CONFLICTS.has(error.name))) throw error;
    return (await readObjectHead(path, 1)) !== undefined;
  }
}
