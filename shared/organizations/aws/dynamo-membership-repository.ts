import * as key from '../../platform/aws/directory-keys.ts';
import { readItem } from '../../platform/aws/table-reader.ts';
import { type MembershipRepository, ROLES } from '../membership.ts';

/** Read each time and strongly consistent: whoever was removed is out with the next request. */
export function createDynamoMembershipRepository(): MembershipRepository {
  return {
    findRole: async (orgId, userId) => {
      const role = (await readItem(key.member(orgId, userId), true))?.role;
      return ROLES.find((known) => known === role);
    },
  };
}
