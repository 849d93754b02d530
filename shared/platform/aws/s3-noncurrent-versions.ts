import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { deleteListed } from '../delete-listed.ts';
import type { NoncurrentVersions } from '../object-store.ts';
import { requireSetting } from '../settings.ts';
import { s3Client } from './s3-client.ts';
import type { BucketName } from './s3-object-store.ts';

/** This file is separate from `s3-object-store.ts`, so that bundles that never list versions don't contain it. */
export function createS3NoncurrentVersions(
  bucket: BucketName,
  clientOf: () => S3Client = s3Client,
): NoncurrentVersions {
  return {
    remove: (Prefix) => {
      const Bucket = requireSetting(bucket);
      return deleteListed(
        () => oldVersions(clientOf(), { Bucket, Prefix }),
        async (versions) => {
          for (const version of versions) await clientOf().send(new DeleteObjectCommand({ Bucket, ...version }));
        },
      );
    },
  };
}

async function* oldVersions(client: S3Client, below: { Bucket: string; Prefix: string }) {
  for (let at = {}, more = true; more; ) {
    const page: ListObjectVersionsCommandOutput = await client.send(new ListObjectVersionsCommand({ ...below, ...at }));
    yield (page.Versions ?? []).flatMap(({ Key, VersionId, IsLatest }) =>
      IsLatest === false && Key !== undefined ? [{ Key, VersionId }] : [],
    );
    at = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    more = page.IsTruncated === true;
  }
}
