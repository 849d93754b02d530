import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { FileStore } from '../ports.ts';
import { incomingPathOf } from '../upload.ts';

/** With this content type, browsers only save a file. They never display or run it. */
export const OPAQUE_TYPE = 'application/octet-stream';

/** S3 moves a file to cheaper storage after 30 days without a read, and again after 90 days. Reads stay fast. */
export const STORAGE_CLASS = 'INTELLIGENT_TIERING';

/**
 * Time limit for reading the first bytes of an object, for all attempts of the SDK together. It is short, because a
 * visitor waits and the function has a timeout.
 */
const HEAD_TIMEOUT_MS = 2_000;

/** Names of the errors for a missing object, and for a range request to an empty object. */
const MISSING: ReadonlySet<string> = new Set(['NoSuchKey', 'InvalidRange']);

/**
 * Files in the uploads bucket. Functions that need only some methods import these directly: their bundles must not
 * contain AWS calls that their roles do not allow.
 */
export const createS3FileStore = (): FileStore => ({
  get: getFile,
  put: putFile,
  delete: deleteFile,
  hasIncoming: async (path) => (await readObjectHead(incomingPathOf(path), 1)) !== undefined,
  deleteIncoming: deleteIncomingFile,
});

const getFile: FileStore['get'] = async (path) => {
  const found = await undefinedIfMissing(() => s3Client().send(new GetObjectCommand(objectAt(path))));
  const content = await found?.Body?.transformToByteArray();
  return content && Buffer.from(content.buffer, content.byteOffset, content.byteLength);
};

export const putFile: FileStore['put'] = async (path, content) => {
  const options = { ContentType: OPAQUE_TYPE, StorageClass: STORAGE_CLASS } as const;
  const put = new PutObjectCommand({ ...objectAt(path), Body: content, ...options });
  await rethrowAsUnavailable('Files cannot be stored. Try again shortly.', () => s3Client().send(put));
};

export const deleteFile: FileStore['delete'] = async (path) => {
  await s3Client().send(new DeleteObjectCommand(objectAt(path)));
};

export const deleteIncomingFile: FileStore['deleteIncoming'] = (path) => deleteFile(incomingPathOf(path));

const objectAt = (key: string) => ({ Bucket: requireSetting('uploadsBucket'), Key: key });

/**
 * Reads size, first bytes and entity tag of an object with one request, because the response to a range request
 * contains the size of the whole object. Returns undefined if the object does not exist or is empty.
 */
export function readObjectHead(
  key: string,
  bytes: number,
): Promise<{ size: number; head: Buffer; etag: string } | undefined> {
  return undefinedIfMissing(async () => {
    const get = new GetObjectCommand({ ...objectAt(key), Range: `bytes=0-${bytes - 1}` });
    const response = await s3Client().send(get, { abortSignal: AbortSignal.timeout(HEAD_TIMEOUT_MS) });
    const content = await response.Body?.transformToByteArray();
    const { ContentRange, ETag = '' } = response;
    return content && { size: Number(ContentRange?.split('/')[1]), head: Buffer.from(content), etag: ETag };
  });
}

/** Returns the result of `read`, or undefined after one of the `MISSING` errors. */
export async function undefinedIfMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && MISSING.has(error.name)) return undefined;
    throw error;
  }
}
