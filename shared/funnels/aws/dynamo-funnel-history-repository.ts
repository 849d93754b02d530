import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { key, type PrimaryKey } from '../../platform/aws/table-reader.ts';
import { requireSetting } from '../../platform/settings.ts';
import { FunnelVersion } from '../funnel.ts';
import type { FunnelHistoryRepository } from '../ports.ts';

/** Strongly consistent, and uncached. */
export function createDynamoFunnelHistoryRepository(): FunnelHistoryRepository {
  return {
    listFunnelIds: async (orgId) => {
      const items = await below(key.orgFunnel(orgId, ''));
      return items.map(({ funnelId }) => String(funnelId));
    },
    listVersions: async (funnelId) => {
      const items = await below(key.version(funnelId, ''));
      return items.map((item) => FunnelVersion.parse(item));
    },
  };
}

/** All records whose keys begin so. */
async function below({ pk, sk }: PrimaryKey): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  const query = {
    TableName: requireSetting('directoryTable'),
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
  };
  for await (const { Items = [] } of paginateQuery({ client: dynamoDocumentClient() }, query)) found.push(...Items);
  return found;
}
