import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { dynamoDocumentClient } from '../../platform/aws/dynamo-client.ts';
import { type PrimaryKey, prefixQuery } from '../../platform/aws/table-reader.ts';
import { FunnelVersion } from '../funnel.ts';
import type { FunnelHistoryRepository } from '../ports.ts';
import { organizationFunnelKey, versionKey } from './keys.ts';

export function createDynamoFunnelHistoryRepository(): FunnelHistoryRepository {
  return {
    listFunnelIds: async (orgId) => {
      const items = await queryAll(organizationFunnelKey(orgId, ''));
      return items.map(({ funnelId }) => String(funnelId));
    },
    listVersions: async (funnelId) => {
      const items = await queryAll(versionKey(funnelId, ''));
      return items.map((item) => FunnelVersion.parse(item));
    },
  };
}

async function queryAll(prefix: PrimaryKey): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  const pages = paginateQuery({ client: dynamoDocumentClient() }, prefixQuery(prefix));
  for await (const { Items = [] } of pages) found.push(...Items);
  return found;
}
