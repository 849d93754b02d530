import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ObjectStore } from '../object-store.ts';
import { requireSetting } from '../settings.ts';
import { s3Client } from './s3-client.ts';

export type BucketName = 'factsBucket' | 'lakeBucket' | 'deadLettersBucket';

/** @param clientOf returns the client; pass a client with longer timeouts if objects are large and connections slow */
export function createS3ObjectStore(bucket: BucketName, clientOf: () => S3Client = s3Client): ObjectStore {
  const at = () => ({ Bucket: requireSetting(bucket) });
  return {
    list: async function* (Prefix) {
      for await (const { Contents = [] } of paginateListObjectsV2({ client: clientOf() }, { ...at(), Prefix }))
        for (const { Key = '', Size = 0, LastModified } of Contents)
          yield { key: Key, bytes: Size, atMs: LastModified?.getTime() ?? 0 };
    },
    get: async (Key) => {
      const response = await orAbsent(clientOf().send(new GetObjectCommand({ ...at(), Key })));
      return response?.Body?.transformToByteArray();
    },
    put: async (Key, Body, ContentType) => {
      await clientOf().send(new PutObjectCommand({ ...at(), Key, Body, ContentType }));
    },
    deleteAllVersions: async (Key) => {
      const head = await orAbsent(clientOf().send(new HeadObjectCommand({ ...at(), Key })));
      if (head !== undefined) await remove(clientOf(), { ...at(), Key, VersionId: head.VersionId });
    },
  };
}

type Version = { Bucket: string; Key: string; VersionId: string | undefined };

/**
 * Deletes this version of an object permanently. In a versioned bucket, the deletion must name the version, because S3
 * otherwise only adds a delete marker. In other buckets, `VersionId` is undefined.
 */
async function remove(client: S3Client, { VersionId, ...of }: Version): Promise<void> {
  await client.send(new DeleteObjectCommand({ ...of, ...(VersionId !== undefined && { VersionId }) }));
}

async function orAbsent<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NotFound) return undefined;
    throw error;
  }
}
