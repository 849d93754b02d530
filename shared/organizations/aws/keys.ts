import type { PrimaryKey } from '../../platform/aws/table-reader.ts';

export const organizationKey = (orgId: string): PrimaryKey => ({ pk: `org#${orgId}`, sk: 'organization' });
export const memberKey = (orgId: string, userId: string): PrimaryKey => ({
  pk: `org#${orgId}`,
  sk: `member#${userId}`,
});
/** Key of an organization's entry in the list of all organizations. */
export const organizationListKey = (orgId: string): PrimaryKey => ({ pk: 'organizations', sk: `org#${orgId}` });
