import { createDynamoDomainRepository } from '../../../shared/domains/aws/dynamo-domain-repository.ts';
import { createDynamoRemovalRequestRepository } from '../../../shared/domains/aws/dynamo-removal-request-repository.ts';
import { invokeRemoval } from '../../../shared/domains/aws/invoke-removal.ts';
import type { CustomDomain, DomainIds } from '../../../shared/domains/domain.ts';
import { createDynamoPageBindingRepository } from '../../../shared/landing-pages/aws/dynamo-page-binding-repository.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { systemIdGenerator as ids } from '../../../shared/platform/id-generator.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { createDnsTxtResolver } from './dns-txt-resolver.ts';
import {
  createDynamoHostnameReservationRepository,
  createDynamoNewDomainRepository,
} from './dynamo-domain-admin-repository.ts';
import { unknownDomain } from './verify-domain.ts';

/** Creates the ports of the commands. The CDN provider is not among them, because only background functions use it. */
export const domainPorts = () => ({
  domains: { ...createDynamoDomainRepository(), ...createDynamoNewDomainRepository() },
  hostnames: createDynamoHostnameReservationRepository(),
  pages: createDynamoPageBindingRepository(),
  dns: createDnsTxtResolver(),
  clock,
  ids,
});

export const removalRequestPorts = () => ({
  domains: createDynamoRemovalRequestRepository(),
  start: invokeRemoval,
  clock,
});

/** @throws Error with a message if the organization or the domain does not exist */
export async function requireDomain(ids: DomainIds): Promise<CustomDomain> {
  await requireOrganization(ids.orgId);
  const domain = await createDynamoDomainRepository().find(ids);
  if (domain === undefined) throw unknownDomain(ids);
  return domain;
}
