import { GetObjectCommand } from '@aws-sdk/client-s3';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { requireSetting } from '../../platform/settings.ts';

/** All attempts together: a visitor waits, and the function has its time limit. */
const HEAD_MS = 2_000;

/** Objects that are not there, or empty: these have no range. */
const ABSENT: ReadonlySet<string> = new Set(['NoSuchKey', 'InvalidRange']);

/** Size, first bytes and entity tag of an object in one call: the answer to a range names the whole. */
export function readObjectHead(
  key: string,
  bytes: number,
): Promise<{ size: number; head: Buffer; etag: string } | undefined> {
  return undefinedIfMissing(async () => {
    const get = new GetObjectCommand({
      Bucket: requireSetting('uploadsBucket'),
      Key: key,
      Range: `bytes=0-${bytes - 1}`,
    });
    const { Body, ContentRange, ETag = '' } = await s3Client().send(get, { abortSignal: AbortSignal.timeout(HEAD_MS) });
    const content = await Body?.transformToByteArray();
    return content && { size: Number(ContentRange?.split('/')[1]), head: Buffer.from(content), etag: ETag };
  });
}

/** What a read finds; undefined when the object is not there. */
export async function undefinedIfMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && ABSENT.has(error.name)) return undefined;
    throw error;
  }
}
