import { dnsTxt } from '../../../shared/domains/dns-txt.ts';
import type { Domain, DomainIds } from '../../../shared/domains/domain.ts';
import { dynamoClaimedHostnames, dynamoNewDomains } from '../../../shared/domains/dynamo-claims.ts';
import { dynamoDomains } from '../../../shared/domains/dynamo-domains.ts';
import { dynamoPageBindings } from '../../../shared/domains/dynamo-page-bindings.ts';
import { dynamoRemovalRequests } from '../../../shared/domains/dynamo-removal-requests.ts';
import { startRemoval } from '../../../shared/domains/start-removal.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { systemIds } from '../../../shared/platform/ids.ts';
import { FriendlyError } from '../../local/friendly-error.ts';
import { organizationOf } from '../organizations/store.ts';

/** What domains stand on, once connected. The edge is the background functions' alone. */
export const domainPorts = () => ({
  domains: { ...dynamoDomains(), ...dynamoNewDomains() },
  hostnames: dynamoClaimedHostnames(),
  pages: dynamoPageBindings(),
  dns: dnsTxt(),
  clock: systemClock,
  ids: systemIds,
});

export const removalRequestPorts = () => ({
  domains: dynamoRemovalRequests(),
  start: startRemoval,
  clock: systemClock,
});

/** @throws FriendlyError when the organization has no such domain */
export async function domainOf(ids: DomainIds): Promise<Domain> {
  await organizationOf(ids.orgId);
  const domain = await dynamoDomains().find(ids);
  if (domain === undefined) throw new FriendlyError(`The organization has no domain ${ids.domainId} (any more).`);
  return domain;
}
