import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type ListObjectVersionsCommandOutput,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { s3 } from '../../platform/s3.ts';
import type { StoredObjects } from './stored-objects.ts';

/** @param client a patient one where objects are large and lines are slow */
export function s3StoredObjects(Bucket: string, client: S3Client = s3()): StoredObjects {
  return {
    list: async function* (Prefix) {
      for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
        for (const { Key = '', Size = 0, LastModified } of Contents)
          yield { key: Key, bytes: Size, atMs: LastModified?.getTime() ?? 0 };
    },
    get: async (Key) => {
      const answer = await orAbsent(client.send(new GetObjectCommand({ Bucket, Key })));
      return answer?.Body?.transformToByteArray();
    },
    put: async (Key, Body, ContentType) => {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }));
    },
    removeForGood: async (Key) => {
      const head = await orAbsent(client.send(new HeadObjectCommand({ Bucket, Key })));
      if (head !== undefined) await remove(client, Bucket, Key, head.VersionId);
    },
    removeOldVersions: (Prefix) => removeOldVersions(client, Bucket, Prefix),
  };
}

/** Without its version, an object of a versioned bucket would only be hidden. */
async function remove(client: S3Client, Bucket: string, Key: string, VersionId: string | undefined): Promise<void> {
  await client.send(new DeleteObjectCommand({ Bucket, Key, ...(VersionId !== undefined && { VersionId }) }));
}

async function removeOldVersions(client: S3Client, Bucket: string, Prefix: string): Promise<number> {
  let removed = 0;
  for await (const { Key, VersionId } of oldVersions(client, Bucket, Prefix)) {
    await remove(client, Bucket, Key, VersionId);
    removed++;
  }
  return removed;
}

async function* oldVersions(client: S3Client, Bucket: string, Prefix: string) {
  for (let at = {}, more = true; more; ) {
    const page = await versionsPage(client, { Bucket, Prefix, ...at });
    for (const { Key, VersionId, IsLatest } of page.Versions ?? [])
      if (IsLatest === false && Key !== undefined) yield { Key, VersionId };
    at = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    more = page.IsTruncated === true;
  }
}

async function versionsPage(
  client: S3Client,
  asked: ListObjectVersionsCommandInput,
): Promise<Partial<ListObjectVersionsCommandOutput>> {
  try {
    return await client.send(new ListObjectVersionsCommand(asked));
  } catch (error) {
    // The S3 stand-in keeps no versions and knows no such call.
    if (error instanceof Error && error.name === 'MethodNotAllowed') return {};
    throw error;
  }
}

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NotFound) return undefined;
    throw error;
  }
}
