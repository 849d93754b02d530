import {
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { config } from '../../platform/config.ts';
import { s3 } from '../../platform/s3.ts';
import { FACTS_PREFIX, factObjectKey } from '../facts/fact-files.ts';
import type { SweptFiles } from './sweep-facts.ts';

/** As `factObjectKey` makes them; nothing else below the prefix is touched. */
const FACT_OBJECT_KEY = new RegExp(`^${FACTS_PREFIX}funnel_id=([0-9a-f-]{36}/[0-9A-HJKMNP-TV-Z]{26})\\.parquet$`);

/** Whole fact files in the facts bucket. */
export function s3SweptFacts(): SweptFiles {
  return {
    list: async function* () {
      const pages = paginateListObjectsV2({ client: s3() }, { Bucket: config('factsBucket'), Prefix: FACTS_PREFIX });
      for await (const { Contents = [] } of pages) {
        yield Contents.flatMap(({ Key = '', LastModified }) => {
          const name = FACT_OBJECT_KEY.exec(Key)?.[1];
          return name === undefined || LastModified === undefined ? [] : [{ name, storedMs: LastModified.getTime() }];
        });
      }
    },
    remove: async (name, forGood) => {
      const at = { Bucket: config('factsBucket'), Key: factObjectKey({ name }) };
      const version = forGood ? await versionOf(at) : {};
      if (version !== undefined) await s3().send(new DeleteObjectCommand({ ...at, ...version }));
    },
  };
}

/**
 * The only version of an object that was written once. Looked for in the list first: without the right to list all of
 * the bucket, S3 says of a missing object that it is forbidden.
 */
async function versionOf({ Bucket, Key }: { Bucket: string; Key: string }) {
  const { KeyCount = 0 } = await s3().send(new ListObjectsV2Command({ Bucket, Prefix: Key, MaxKeys: 1 }));
  if (KeyCount === 0) return undefined;
  const { VersionId } = await s3().send(new HeadObjectCommand({ Bucket, Key }));
  return VersionId === undefined ? {} : { VersionId };
}
