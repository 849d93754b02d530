import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { key } from '../directory/directory-table.ts';
import { Organization } from '../directory/organization.ts';
import { conditionally } from '../platform/conditionally.ts';
import { config } from '../platform/config.ts';
import type { PeriodsDesk } from './change-periods.ts';

const Settings = Organization.pick({ retention: true }).optional();

/** Retention periods in the organization's record. */
export function dynamoPeriodsDesk(client: DynamoDBDocumentClient): PeriodsDesk {
  const at = (orgId: string) => ({ TableName: config('directoryTable'), Key: key.organization(orgId) });
  return {
    find: async (orgId) => {
      const { Item } = await client.send(new GetCommand({ ...at(orgId), ConsistentRead: true }));
      return Settings.parse(Item)?.retention;
    },
    change: async (orgId, seen, next) => {
      const unset = Object.keys(seen).length === 0 ? 'attribute_not_exists(retention) OR ' : '';
      const update = new UpdateCommand({
        ...at(orgId),
        UpdateExpression: 'SET retention = :next',
        ConditionExpression: `attribute_exists(pk) AND (${unset}retention = :seen)`,
        ExpressionAttributeValues: { ':next': next, ':seen': seen },
      });
      return (await conditionally(client.send(update))) !== undefined;
    },
  };
}
