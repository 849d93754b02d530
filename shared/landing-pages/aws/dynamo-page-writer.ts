import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { undefinedIfConditionFailed } from '../../platform/aws/conditional-write.ts';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type PrimaryKey, readItem } from '../../platform/aws/table-reader.ts';
import { formatDueAt } from '../../platform/due-index.ts';
import { requireSetting } from '../../platform/settings.ts';
import { rethrowAsUnavailable } from '../../platform/unavailable.ts';
import type { PageRecordState, PageTombstoneRepository, PageWriter } from '../ports.ts';
import { batchPut } from './batch-write.ts';
import { pageKey } from './keys.ts';
import { getIntentShard, intentKey, TOMBSTONE, toAssetItem, toAssetReferenceItems, toBlockItem } from './page-item.ts';

/**
 * Time to live of a tombstone. If a writer was frozen, it must still find the tombstone when it continues. No process
 * can be frozen for so long.
 */
const TOMBSTONE_TTL_MS = 7 * 86_400_000;
const UNAVAILABLE = 'Landing pages cannot be written. Try again shortly.';

export function createDynamoPageWriter(): PageWriter {
  return {
    putIntent: async (intent, dueAtMs) => {
      const due = { dueShard: getIntentShard(intent.pageId), dueAt: formatDueAt(dueAtMs) };
      const write = new PutCommand({
        TableName: requireSetting('directoryTable'),
        Item: { ...intentKey(intent), ...due },
      });
      await rethrowAsUnavailable(UNAVAILABLE, () => dynamoDocumentClient().send(write));
    },
    putParts: (pageId, parts) =>
      batchPut([
        ...parts.assets.map((asset) => toAssetItem(pageId, asset)),
        ...parts.blocks.map((block) => toBlockItem(pageId, block)),
        ...toAssetReferenceItems(pageId, parts),
      ]),
    commit: async (page) => {
      const item = { ...pageKey(page.orgId, page.id), ...page };
      const write = new PutCommand({
        TableName: requireSetting('directoryTable'),
        Item: item,
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      try {
        if (
          (await rethrowAsUnavailable(UNAVAILABLE, () =>
            undefinedIfConditionFailed(dynamoDocumentClient().send(write)),
          )) !== undefined
        )
          return true;
        return (await getRecordState(item)) === 'page';
      } catch (cause) {
        // The write may have succeeded although its response was lost.
        if ((await getRecordState(item)) === 'page') return true;
        throw cause;
      }
    },
    deleteIntent: async (intent) => {
      const deletion = new DeleteCommand({ TableName: requireSetting('directoryTable'), Key: intentKey(intent) });
      await rethrowAsUnavailable(UNAVAILABLE, () => dynamoDocumentClient().send(deletion));
    },
  };
}

export function createDynamoPageTombstoneRepository(): PageTombstoneRepository {
  return {
    getRecordState: ({ orgId, pageId }) => getRecordState(pageKey(orgId, pageId)),
    putTombstone: async ({ orgId, pageId }, nowMs) => {
      const expiresAt = Math.ceil((nowMs + TOMBSTONE_TTL_MS) / 1_000);
      const write = new PutCommand({
        TableName: requireSetting('directoryTable'),
        Item: { ...pageKey(orgId, pageId), [TOMBSTONE]: true, expiresAt },
        ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(#tombstone)',
        ExpressionAttributeNames: { '#tombstone': TOMBSTONE },
      });
      return (
        (await rethrowAsUnavailable(UNAVAILABLE, () =>
          undefinedIfConditionFailed(dynamoDocumentClient().send(write)),
        )) !== undefined
      );
    },
  };
}

async function getRecordState({ pk, sk }: PrimaryKey): Promise<PageRecordState> {
  const item = await readItem({ pk, sk }, true);
  if (item === undefined) return 'absent';
  return TOMBSTONE in item ? 'tombstone' : 'page';
}
