import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type PrimaryKey, readItem } from '../../platform/aws/table-reader.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { PageRecordState, PageWriter, TombstoneRepository } from '../ports.ts';
import { batchPut } from './batch-write.ts';
import { pageKey } from './keys.ts';
import { getIntentShard, intentKey, TOMBSTONE, toAssetItem, toAssetReferenceItems, toBlockItem } from './page-item.ts';

/** Longer than anything that writes a page could be held up. */
const TOMBSTONE_MS = 7 * 86_400_000;
const NOT_NOW = 'Landing pages cannot be written. Try again shortly.';

/** Writes pages to the directory table. @throws Problem 503 while it is not available */
export function createDynamoPageWriter(): PageWriter {
  return {
    putIntent: (attempt, dueAtMs) => {
      const due = { dueShard: getIntentShard(attempt.pageId), dueAt: formatDueAt(dueAtMs) };
      return put(intentKey(attempt), due);
    },
    putParts: (pageId, parts) =>
      batchPut([
        ...parts.assets.map((asset) => toAssetItem(pageId, asset)),
        ...parts.blocks.map((block) => toBlockItem(pageId, block)),
        ...toAssetReferenceItems(pageId, parts),
      ]),
    commit: async (page) => {
      const at = pageKey(page.orgId, page.id);
      const item = { ...at, ...page };
      // Failed or refused, it may be there all the same: an answer can be lost, and the SDK repeats such a write.
      return putNew(item).catch(async (cause: unknown) => {
        if ((await placeAt(at)) === 'page') return true;
        throw cause;
      });
    },
    deleteIntent: async (attempt) => {
      const removal = new DeleteCommand({ TableName: requireSetting('directoryTable'), Key: intentKey(attempt) });
      await rethrowAsUnavailable(NOT_NOW, () => dynamoDocumentClient().send(removal));
    },
  };

  /** False when something else stands there. */
  async function putNew(item: PrimaryKey): Promise<boolean> {
    const write = new PutCommand({
      TableName: requireSetting('directoryTable'),
      Item: item,
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    if (
      (await rethrowAsUnavailable(NOT_NOW, () => undefinedIfConditionFailed(dynamoDocumentClient().send(write)))) !==
      undefined
    )
      return true;
    return (await placeAt(item)) === 'page';
  }
}

/** Tombstones in the directory table. @throws Problem 503 while it is not available */
export function createDynamoTombstoneRepository(): TombstoneRepository {
  return {
    getRecordState: ({ orgId, pageId }) => placeAt(pageKey(orgId, pageId)),
    putTombstone: async ({ orgId, pageId }, nowMs) => {
      const expiresAt = Math.ceil((nowMs + TOMBSTONE_MS) / 1_000);
      const write = new PutCommand({
        TableName: requireSetting('directoryTable'),
        Item: { ...pageKey(orgId, pageId), [TOMBSTONE]: true, expiresAt },
        ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(#tombstone)',
        ExpressionAttributeNames: { '#tombstone': TOMBSTONE },
      });
      return (
        (await rethrowAsUnavailable(NOT_NOW, () => undefinedIfConditionFailed(dynamoDocumentClient().send(write)))) !==
        undefined
      );
    },
  };
}

async function put(at: PrimaryKey, item: object): Promise<void> {
  const write = new PutCommand({ TableName: requireSetting('directoryTable'), Item: { ...at, ...item } });
  await rethrowAsUnavailable(NOT_NOW, () => dynamoDocumentClient().send(write));
}

async function placeAt({ pk, sk }: PrimaryKey): Promise<PageRecordState> {
  const item = await readItem({ pk, sk }, true);
  if (item === undefined) return 'empty';
  return TOMBSTONE in item ? 'tombstone' : 'page';
}
