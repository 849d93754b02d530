import { GetObjectCommand } from '@aws-sdk/client-s3';
import { available } from '../http/available.ts';
import { config } from '../platform/config.ts';
import { s3 } from '../platform/s3.ts';
import type { FileStore } from './upload.ts';

const NOT_READABLE = 'Uploaded files can not be read right now.';

/** Objects that are not there, or empty: these have no range. */
const ABSENT: ReadonlySet<string> = new Set(['NoSuchKey', 'NotFound', 'InvalidRange']);

/** The beginnings of files in the uploads bucket. @throws Problem 503 while it is not available */
export function s3FileHead(): Pick<FileStore, 'head'> {
  return { head: (path, bytes) => available(NOT_READABLE, () => orAbsent(() => head(path, bytes))) };
}

/** Size and first bytes in one call: the answer to a range names the whole. */
async function head(path: string, bytes: number): ReturnType<FileStore['head']> {
  const get = new GetObjectCommand({ Bucket: config('uploadsBucket'), Key: path, Range: `bytes=0-${bytes - 1}` });
  const { Body, ContentRange, ETag = '' } = await s3().send(get);
  const content = await Body?.transformToByteArray();
  return content && { size: Number(ContentRange?.split('/')[1]), head: Buffer.from(content), etag: ETag };
}

/** What a read finds; undefined when the object is not there. */
export async function orAbsent<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && ABSENT.has(error.name)) return undefined;
    throw error;
  }
}
