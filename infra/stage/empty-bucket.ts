import {
  DeleteObjectsCommand,
  type DeleteObjectsCommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { UserError } from '../common/user-error.ts';
import { notPermitted, permitted } from './permitted.ts';

type Position = Pick<ListObjectVersionsCommandInput, 'KeyMarker' | 'VersionIdMarker'>;

const LIST = 's3:ListBucketVersions';
const DELETE = 's3:DeleteObject and s3:DeleteObjectVersion';

/**
 * Deletes all versions and delete markers of a bucket. One request deletes one page of the listing. S3 limits both to
 * 1,000 entries.
 *
 * @returns the number of deleted versions and delete markers; 0 if the bucket does not exist
 * @throws UserError if S3 does not delete an object, or if the credentials lack a permission
 */
export async function emptyBucket(s3: S3Client, bucket: string): Promise<number> {
  let deleted = 0;
  let next: Position | undefined = {};
  while (next !== undefined) {
    const page = await pageOf(s3, bucket, next);
    if (page === undefined) return deleted;
    const objects = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(({ Key, VersionId }) => ({
      Key,
      VersionId,
    }));
    if (objects.length > 0) {
      const command = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } });
      rejectErrors(bucket, await permitted(DELETE, `the bucket ${bucket}`, s3.send(command)));
      deleted += objects.length;
    }
    next = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker } : undefined;
  }
  return deleted;
}

/** Returns undefined if the bucket does not exist, for example because an earlier removal deleted it. */
async function pageOf(s3: S3Client, bucket: string, from: Position) {
  try {
    const command = new ListObjectVersionsCommand({ Bucket: bucket, ...from });
    return await permitted(LIST, `the bucket ${bucket}`, s3.send(command));
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchBucket') return undefined;
    throw error;
  }
}

/** Checks the body, because S3 responds with status 200 even if some of the objects were not deleted. */
function rejectErrors(bucket: string, { Errors = [] }: DeleteObjectsCommandOutput): void {
  const [first] = Errors;
  if (first === undefined) return;
  const reason = `${first.Code}: ${first.Message}`;
  if (first.Code === 'AccessDenied') throw notPermitted(DELETE, `the bucket ${bucket}`, reason);
  throw new UserError(`S3 did not delete ${first.Key} from the bucket ${bucket} (${reason}). Run the command again.`);
}
