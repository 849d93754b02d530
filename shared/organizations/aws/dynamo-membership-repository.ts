import { readItem } from '../../platform/aws/table-reader.ts';
import { ROLES } from '../membership.ts';
import type { MembershipRepository } from '../ports.ts';
import { memberKey } from './keys.ts';

/** Uncached and strongly consistent: a removed member has no access to the next request. */
export function createDynamoMembershipRepository(): MembershipRepository {
  return {
    findRole: async (orgId, userId) => {
      const role = (await readItem(memberKey(orgId, userId), true))?.role;
      return ROLES.find((known) => known === role);
    },
  };
}
