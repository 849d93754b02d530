import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import { type IncomingFileStore, incomingPathOf } from '../upload.ts';
import { OPAQUE_TYPE } from './s3-file-writer.ts';
import { readObjectHead } from './s3-objects.ts';

const NOT_READABLE = 'Uploaded files cannot be read. Try again shortly.';

/** Many times what a copy of 100 MB takes; with a look before it, less than a submit may take. */
const COPY_MS = 6_000;

/** The source is another one or gone by now, the target stands already, or another copy to it is under way. */
const OVERTAKEN: ReadonlySet<string> = new Set(['PreconditionFailed', 'NoSuchKey', 'ConditionalRequestConflict']);

/** What pages sent to the uploads bucket. Every method throws Problem 503 while it is not available. */
export function createS3IncomingFileStore(): IncomingFileStore {
  return {
    head: (path, bytes) => rethrowAsUnavailable(NOT_READABLE, () => readObjectHead(incomingPathOf(path), bytes)),
    promote: (path, etag) => rethrowAsUnavailable(NOT_READABLE, () => take(path, etag)),
  };
}

/** Within the store, up to the 5 GB of one copy; a copy that comes late can not overwrite what was cleaned meanwhile. */
async function take(path: string, etag: string): Promise<boolean> {
  const Bucket = requireSetting('uploadsBucket');
  const copy = new CopyObjectCommand({
    Bucket,
    Key: path,
    CopySource: `${Bucket}/${incomingPathOf(path)}`,
    CopySourceIfMatch: etag,
    IfNoneMatch: '*',
    MetadataDirective: 'REPLACE',
    ContentType: OPAQUE_TYPE,
    // Copying these, of which there are none, would need further permissions.
    TaggingDirective: 'REPLACE',
    AnnotationDirective: 'EXCLUDE',
  });
  try {
    await s3Client().send(copy, { abortSignal: AbortSignal.timeout(COPY_MS) });
    return true;
  } catch (error) {
    if (!(error instanceof Error && OVERTAKEN.has(error.name))) throw error;
    return (await readObjectHead(path, 1)) !== undefined;
  }
}
