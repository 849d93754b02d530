import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { dynamo } from '../platform/clients.ts';
import { config } from '../platform/config.ts';
import { type Key, key } from './directory-table.ts';
import { FunnelVersion } from './funnel.ts';
import type { OrganizationFunnels } from './organization-funnels.ts';

/** Strongly consistent, and uncached. */
export function dynamoOrganizationFunnels(): OrganizationFunnels {
  return {
    funnelsOf: async (orgId) => {
      const items = await below(key.orgFunnel(orgId, ''));
      return items.map(({ funnelId }) => String(funnelId));
    },
    versionsOf: async (funnelId) => {
      const items = await below(key.version(funnelId, ''));
      return items.map((item) => FunnelVersion.parse(item));
    },
  };
}

/** All records whose keys begin so. */
async function below({ pk, sk }: Key): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  const query = {
    TableName: config('directoryTable'),
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
    ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
  };
  for await (const { Items = [] } of paginateQuery({ client: dynamo() }, query)) found.push(...Items);
  return found;
}
