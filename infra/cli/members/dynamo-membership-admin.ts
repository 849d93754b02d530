import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { memberKey } from '../../../shared/organizations/aws/keys.ts';
import { ROLES } from '../../../shared/organizations/membership.ts';
import { createRecordTable } from '../environment/record-table.ts';
import type { Member, MembershipAdminRepository } from './membership-admin.ts';

const Stored = z.pipe(
  z.object({
    userId: z.string(),
    role: z.enum(ROLES),
    addedAt: z._default(z.nullable(z.string()), null),
    leaving: z.optional(z.string()),
  }),
  z.transform(({ leaving, ...member }): Member => ({ ...member, isBeingRemoved: leaving !== undefined })),
);

export function createDynamoMembershipAdminRepository(client?: DynamoDBDocumentClient): MembershipAdminRepository {
  const { read, list, put, update, remove } = createRecordTable('directoryTable', client);
  const names = { '#role': 'role' };
  return {
    list: (orgId) => list(Stored, memberKey(orgId, '')),
    find: ({ orgId, userId }) => read(Stored, memberKey(orgId, userId)),
    add: (at, member) => put(memberKey(at.orgId, at.userId), { ...at, ...member }),
    markForRemoval: ({ orgId, userId }, mark) => {
      const isOwner = { expression: '#role = :owner', names, values: { ':owner': 'owner' } };
      return update(memberKey(orgId, userId), { leaving: mark }, isOwner);
    },
    clearRemovalMark: ({ orgId, userId }, mark) => {
      const isMarked = { expression: '#leaving = :mark', values: { ':mark': mark } };
      return update(memberKey(orgId, userId), { leaving: undefined }, isMarked);
    },
    write: ({ orgId, userId }, to, from) => {
      const isUnchanged = {
        expression: `#role = :from${from.mark === undefined ? '' : ' AND leaving = :mark'}`,
        names,
        values: { ':from': from.role, ...(from.mark !== undefined && { ':mark': from.mark }) },
      };
      const key = memberKey(orgId, userId);
      return to === null ? remove(key, isUnchanged) : update(key, { role: to, leaving: undefined }, isUnchanged);
    },
  };
}
