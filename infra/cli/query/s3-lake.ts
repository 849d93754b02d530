import { GetObjectCommand, NoSuchKey, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { FACTS_PREFIX } from '../../../shared/analytics/facts/fact-files.ts';
import { EVENTS_PREFIX } from '../../../shared/analytics/raw-events/raw-event-files.ts';
import { s3Client } from '../../../shared/platform/aws/s3-client.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import { type LakeFile, LakeFileMissingError, type LakeObjects } from './lake-files.ts';

export const s3Lake = (): LakeObjects => ({
  events: () => listed(requireSetting('lakeBucket'), EVENTS_PREFIX),
  get: async (key) => {
    const isFactFile = key.startsWith(FACTS_PREFIX);
    const Bucket = requireSetting(isFactFile ? 'factsBucket' : 'lakeBucket');
    try {
      const { Body } = await s3Client().send(new GetObjectCommand({ Bucket, Key: key }));
      if (Body === undefined) throw new Error(`S3 returned the object ${key} without a body.`);
      // Streamed, because Firehose writes files of up to 128 MB, and several files are downloaded concurrently.
      return Body.transformToWebStream();
    } catch (cause) {
      // A missing fact file can be restored from an old version. If a raw event file is missing, an erasure replaced it
      // or its retention ended. The next run of the query does not list this file.
      const advice = isFactFile ? 'restore an old version of the file there' : 'run the query again';
      if (cause instanceof NoSuchKey)
        throw new LakeFileMissingError(`The file ${key} is missing in the bucket ${Bucket}: ${advice}.`, { cause });
      throw cause;
    }
  },
});

async function* listed(Bucket: string, Prefix: string): AsyncGenerator<LakeFile> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3Client() }, { Bucket, Prefix })) {
    for (const { Key, Size = 0, ETag = '' } of Contents) {
      if (Key !== undefined) yield { key: Key, bytes: Size, ...digestOf(ETag) };
    }
  }
}

/** If an object was uploaded in one part and is not encrypted with KMS, its ETag is the MD5 of its bytes. */
function digestOf(tag: string): Pick<LakeFile, 'digest'> {
  const [, hex] = /^"?([0-9a-f]{32})"?$/.exec(tag) ?? [];
  return hex === undefined ? {} : { digest: { algorithm: 'md5', hex } };
}
