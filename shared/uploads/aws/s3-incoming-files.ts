import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { IncomingFileStore } from '../ports.ts';
import { incomingPathOf } from '../upload.ts';
import { OPAQUE_TYPE, readObjectHead } from './s3-file-store.ts';

const NOT_READABLE = 'Uploaded files cannot be read. Try again shortly.';

/** Well above the duration of a 100 MB copy. Reading the head and copying together stay below the timeout of a submit. */
const COPY_TIMEOUT_MS = 6_000;

/** The source has changed or does not exist, the target exists, or another copy to it is in progress. */
const CONFLICTS: ReadonlySet<string> = new Set(['PreconditionFailed', 'NoSuchKey', 'ConditionalRequestConflict']);

/** Direct uploads in the uploads bucket. Every method throws UnavailableError while it is unavailable. */
export const createS3IncomingFileStore = (): IncomingFileStore => ({
  head: (path, bytes) => rethrowAsUnavailable(NOT_READABLE, () => readObjectHead(incomingPathOf(path), bytes)),
  promote: (path, etag) => rethrowAsUnavailable(NOT_READABLE, () => promote(path, etag)),
});

/** Copies within the store, at most 5 GB. A late copy can't overwrite a file that was cleaned meanwhile. */
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
    // Objects have neither tags nor annotations, and copying them would need further permissions.
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
