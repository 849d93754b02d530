import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateQuery,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { memberKey } from '../../../shared/organizations/aws/keys.ts';
import { ROLES } from '../../../shared/organizations/membership.ts';
import { undefinedIfConditionFailed } from '../../../shared/platform/aws/conditional-write.ts';
import { prefixQuery } from '../../../shared/platform/aws/table-reader.ts';
import { requireSetting } from '../../../shared/platform/settings.ts';
import type { Member, MemberKey, MembershipAdminRepository } from './membership-admin.ts';

const Stored = z.pipe(
  z.object({
    userId: z.string(),
    role: z.enum(ROLES),
    addedAt: z._default(z.nullable(z.string()), null),
    leaving: z.optional(z.string()),
  }),
  z.transform(({ leaving, ...member }): Member => ({ ...member, isBeingRemoved: leaving !== undefined })),
);

/** Memberships in the directory table. */
export function createDynamoMembershipAdminRepository(client: DynamoDBDocumentClient): MembershipAdminRepository {
  const inTable = ({ orgId, userId }: MemberKey) => ({
    TableName: requireSetting('directoryTable'),
    Key: memberKey(orgId, userId),
  });
  const succeeds = async (write: Promise<unknown>) => (await undefinedIfConditionFailed(write)) !== undefined;
  return {
    list: async function* (orgId) {
      for await (const { Items = [] } of paginateQuery({ client }, prefixQuery(memberKey(orgId, '')))) {
        for (const item of Items) yield Stored.parse(item);
      }
    },
    find: async (at) => {
      const { Item } = await client.send(new GetCommand({ ...inTable(at), ConsistentRead: true }));
      return z.optional(Stored).parse(Item);
    },
    add: (at, member) => {
      const { Key, TableName } = inTable(at);
      const Item = { ...Key, ...at, ...member };
      return succeeds(
        client.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' })),
      );
    },
    markForRemoval: (at, mark) => succeeds(client.send(new UpdateCommand({ ...inTable(at), ...marking(mark) }))),
    clearRemovalMark: (at, mark) => succeeds(client.send(new UpdateCommand({ ...inTable(at), ...unmarking(mark) }))),
    write: (at, to, { role, mark }) => {
      const found = {
        ConditionExpression: `#role = :from${mark === undefined ? '' : ' AND leaving = :mark'}`,
        ExpressionAttributeNames: { '#role': 'role' },
      };
      const values = { ':from': role, ...(mark !== undefined && { ':mark': mark }) };
      if (to === null) {
        return succeeds(
          client.send(new DeleteCommand({ ...inTable(at), ...found, ExpressionAttributeValues: values })),
        );
      }
      const update = new UpdateCommand({
        ...{ ...inTable(at), ...found },
        UpdateExpression: 'SET #role = :to REMOVE leaving',
        ExpressionAttributeValues: { ...values, ':to': to },
      });
      return succeeds(client.send(update));
    },
  };
}

const marking = (mark: string) => ({
  UpdateExpression: 'SET leaving = :mark',
  ConditionExpression: '#role = :owner',
  ExpressionAttributeNames: { '#role': 'role' },
  ExpressionAttributeValues: { ':mark': mark, ':owner': 'owner' },
});

const unmarking = (mark: string) => ({
  UpdateExpression: 'REMOVE leaving',
  ConditionExpression: 'leaving = :mark',
  ExpressionAttributeValues: { ':mark': mark },
});
