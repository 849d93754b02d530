import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { s3Client } from '../../platform/aws/s3-client.ts';
import { deleteListed } from '../../platform/delete-listed.ts';
import { requireSetting } from '../../platform/settings.ts';
import { ASSETS_PREFIX, assetObjectKey } from '../landing-page.ts';
import type { PageDeleter, PageWriteIntent } from '../ports.ts';
import { batchDelete } from './batch-write.ts';

const CONCURRENCY = 20;
/** Time limit of a request to S3, including its retries. */
const REQUEST_TIMEOUT_MS = 15_000;

const Keys = z.array(z.object({ pk: z.string(), sk: z.string() }));

/** Deletes asset files from the uploads bucket, and the items of blocks and assets from the directory table. */
export const createAwsPageDeleter = (): PageDeleter => ({
  deleteAsset,
  deletePageAssets: async (intent, keysToKeep) => {
    await deleteListed(() => listAssetKeys(intent, keysToKeep), deleteAssets);
  },
  deleteParts,
});

const withTimeout = () => ({ abortSignal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });

async function* listAssetKeys({ orgId, pageId }: PageWriteIntent, excluded: ReadonlySet<string>) {
  const prefix = { Bucket: requireSetting('uploadsBucket'), Prefix: assetObjectKey(`${orgId}/${pageId}/`) };
  for (let last = '', hasMore = true; hasMore; ) {
    const list = new ListObjectsV2Command({ ...prefix, ...(last !== '' && { StartAfter: last }) });
    const { Contents = [], IsTruncated } = await s3Client().send(list, withTimeout());
    const objectKeys = Contents.flatMap(({ Key }) => Key ?? []);
    yield objectKeys.map((key) => key.slice(ASSETS_PREFIX.length)).filter((key) => !excluded.has(key));
    last = objectKeys.at(-1) ?? last;
    hasMore = IsTruncated === true && objectKeys.length > 0;
  }
}

async function deleteAssets(keys: readonly string[]): Promise<void> {
  const remaining = [...keys];
  const work = async () => {
    for (let key = remaining.shift(); key !== undefined; key = remaining.shift()) await deleteAsset(key);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

async function deleteAsset(key: string): Promise<void> {
  const deletion = new DeleteObjectCommand({ Bucket: requireSetting('uploadsBucket'), Key: assetObjectKey(key) });
  await s3Client().send(deletion, withTimeout());
}

/**
 * Deletes the items of blocks and assets. Keeps the references of other pages to this page's files, because they show
 * which files are still used. Keeps the idempotency records of copies, because their TTL deletes them.
 */
async function deleteParts(pageId: string): Promise<void> {
  let startKey: Record<string, unknown> | undefined;
  do {
    const query = new QueryCommand({
      TableName: requireSetting('directoryTable'),
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :page AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':page': `page#${pageId}`, ':from': 'asset#', ':to': 'block$' },
      ProjectionExpression: 'pk, sk',
      ...(startKey !== undefined && { ExclusiveStartKey: startKey }),
    });
    const { Items, LastEvaluatedKey } = await dynamoDocumentClient().send(query);
    await batchDelete(Keys.parse(Items ?? []));
    startKey = LastEvaluatedKey;
  } while (startKey !== undefined);
}
