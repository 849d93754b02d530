import type { Organization } from '../../../shared/organizations/organization.ts';
import { UserError } from '../../common/user-error.ts';
import { recordsClient } from '../environment/records-client.ts';
import { createDynamoOrganizationAdminRepository } from './dynamo-organization-admin.ts';
import type { OrganizationAdminRepository } from './organization-admin.ts';

/** Organizations, once connected. */
export const organizationsDesk = (): OrganizationAdminRepository =>
  createDynamoOrganizationAdminRepository(recordsClient());

/** @throws FriendlyError when there is no such organization */
export async function requireOrganization(orgId: string): Promise<Organization> {
  return (await organizationsDesk().find(orgId)) ?? throwUnknownOrganization(orgId);
}

export function throwUnknownOrganization(orgId: string): never {
  throw new UserError(`There is no organization ${orgId}.`);
}
