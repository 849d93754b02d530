import { dynamoOrganizationsDesk } from '../../../shared/directory/dynamo-organizations-desk.ts';
import type { OrganizationsDesk } from '../../../shared/directory/organizations-desk.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import { FriendlyError } from '../../local/friendly-error.ts';
import { recordsClient } from '../records-client.ts';

/** Organizations, once connected. */
export const organizationsDesk = (): OrganizationsDesk => dynamoOrganizationsDesk(recordsClient());

/** @throws FriendlyError when there is no such organization */
export async function organizationOf(orgId: string): Promise<Organization> {
  return (await organizationsDesk().find(orgId)) ?? refuseUnknown(orgId);
}

export function refuseUnknown(orgId: string): never {
  throw new FriendlyError(`There is no organization ${orgId}.`);
}
