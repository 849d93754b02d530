import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { funnelKey, versionKey } from '../../../shared/funnels/aws/keys.ts';
import { Funnel, FunnelVersion } from '../../../shared/funnels/funnel.ts';
import { organizationKey } from '../../../shared/organizations/aws/keys.ts';
import { Organization } from '../../../shared/organizations/organization.ts';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import type { PrimaryKey } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import type { LimitAdminRepository, LimitChanges } from './effective-limits.ts';

/** Limits in the directory table. */
export function createDynamoLimitAdminRepository(client: DynamoDBDocumentClient): LimitAdminRepository {
  const inTable = (at: PrimaryKey) => ({ TableName: requireSetting('directoryTable'), Key: at });
  const read = async <T>(schema: z.ZodMiniType<T>, at: PrimaryKey): Promise<T | undefined> => {
    const { Item } = await client.send(new GetCommand({ ...inTable(at), ConsistentRead: true }));
    return z.optional(schema).parse(Item);
  };
  const change = async (at: PrimaryKey, { set, unset }: LimitChanges): Promise<boolean> => {
    const values = Object.entries(set).filter(([, value]) => value !== undefined);
    const clauses = [
      ...(values.length === 0 ? [] : [`SET ${values.map(([name]) => `limits.#${name} = :${name}`).join(', ')}`]),
      ...(unset.length === 0 ? [] : [`REMOVE ${unset.map((name) => `limits.#${name}`).join(', ')}`]),
    ];
    const update = new UpdateCommand({
      ...inTable(at),
      UpdateExpression: clauses.join(' '),
      ConditionExpression: 'attribute_exists(limits)',
      ExpressionAttributeNames: Object.fromEntries(
        [...values.map(([name]) => name), ...unset].map((name) => [`#${name}`, name]),
      ),
      ...(values.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])),
      }),
    });
    return (await undefinedIfConditionFailed(client.send(update))) !== undefined;
  };
  return {
    organization: (orgId) => read(Organization, organizationKey(orgId)),
    funnel: async (funnelId) => {
      const funnel = await read(Funnel, funnelKey(funnelId));
      if (funnel === undefined) return undefined;
      const { publishedVersionId: versionId } = funnel;
      const version = versionId === null ? undefined : await read(FunnelVersion, versionKey(funnelId, versionId));
      return { funnel, aiBlock: version?.ai };
    },
    update: ({ kind, id }, changes) => change(kind === 'funnel' ? funnelKey(id) : organizationKey(id), changes),
  };
}
