import type { Organization } from '../../../shared/organizations/organization.ts';
import { UserError } from '../../common/user-error.ts';
import { recordsClient } from '../environment/records-client.ts';
import { createDynamoOrganizationAdminRepository } from './dynamo-organization-admin.ts';

export const organizationRepository = () => createDynamoOrganizationAdminRepository(recordsClient());

/** @throws UserError when there is no such organization */
export const requireOrganization = async (orgId: string): Promise<Organization> =>
  (await organizationRepository().find(orgId)) ?? throwUnknownOrganization(orgId);

export function throwUnknownOrganization(orgId: string): never {
  throw new UserError(`There is no organization ${orgId}.`);
}
