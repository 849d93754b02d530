import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { organizationKey } from '../../../shared/organizations/aws/keys.ts';
import { Organization, type RetentionPeriods } from '../../../shared/organizations/organization.ts';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import type { RetentionPeriodRepository } from './change-periods.ts';

const Settings = z.optional(z.pick(Organization, { retention: true }));

/** Compares the periods one by one: DynamoDB could compare the whole map, but its stand-in can not. */
const KINDS = ['leadDays', 'callDays', 'recordingDays'] as const satisfies (keyof RetentionPeriods)[];

/** Retention periods in the organization's record. */
export function createDynamoRetentionPeriodRepository(client: DynamoDBDocumentClient): RetentionPeriodRepository {
  const at = (orgId: string) => ({ TableName: requireSetting('directoryTable'), Key: organizationKey(orgId) });
  return {
    find: async (orgId) => {
      const { Item } = await client.send(new GetCommand({ ...at(orgId), ConsistentRead: true }));
      return Settings.parse(Item)?.retention;
    },
    change: async (orgId, seen, next) => {
      const asSeen = KINDS.map((kind) =>
        seen[kind] === undefined ? `attribute_not_exists(retention.${kind})` : `retention.${kind} = :${kind}`,
      );
      const update = new UpdateCommand({
        ...at(orgId),
        UpdateExpression: 'SET retention = :next',
        ConditionExpression: ['attribute_exists(pk)', ...asSeen].join(' AND '),
        ExpressionAttributeValues: {
          ':next': next,
          ...Object.fromEntries(Object.entries(seen).map(([kind, days]) => [`:${kind}`, days])),
        },
      });
      return (await undefinedIfConditionFailed(client.send(update))) !== undefined;
    },
  };
}
