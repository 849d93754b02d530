import * as key from './directory-keys.ts';
import { readRecord } from './directory-table.ts';
import { type Memberships, ROLES } from './membership.ts';

/** Read each time and strongly consistent: whoever was removed is out with the next request. */
export function dynamoMemberships(): Memberships {
  return {
    roleOf: async (orgId, userId) => {
      const role = (await readRecord(key.member(orgId, userId), true))?.role;
      return ROLES.find((known) => known === role);
    },
  };
}
