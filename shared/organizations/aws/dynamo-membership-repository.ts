import { readItem } from '../../platform/aws/table-reader.ts';
import { ROLES } from '../membership.ts';
import type { MembershipRepository } from '../ports.ts';
import { memberKey } from './keys.ts';

/** Reads without a cache and strongly consistently, so that the next request of a removed member is rejected. */
export function createDynamoMembershipRepository(): MembershipRepository {
  return {
    findRole: async (orgId, userId) => {
      const role = (await readItem(memberKey(orgId, userId), true))?.role;
      return ROLES.find((known) => known === role);
    },
  };
}
