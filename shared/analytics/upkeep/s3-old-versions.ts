import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { deleteListed } from '../../platform/delete-listed.ts';
import { requireSetting } from '../../platform/settings.ts';
import type { BucketName } from './s3-stored-objects.ts';
import type { OldVersions } from './stored-objects.ts';

/** By itself, so that the bundle of a function that never looks at versions does not carry it. */
export function s3OldVersions(bucket: BucketName, clientOf: () => S3Client = s3Client): OldVersions {
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
