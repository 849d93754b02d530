import { type CustomDomain, DEFAULT_DOMAINS_MAX, toDomainIds } from '../../../shared/domains/domain.ts';
import type { DomainRepository, HostnameRepository, HostnameReservation } from '../../../shared/domains/ports.ts';
import { ORPHANED_RESERVATION_MS, PENDING_TTL_MS, toIsoString } from '../../../shared/domains/schedule.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { IdGenerator } from '../../../shared/platform/id-generator.ts';
import { parseHostname } from './hostname.ts';

export type AddDomainPorts = {
  domains: Pick<DomainRepository, 'find'> & {
    /** False if the id exists; nothing is written then. */
    create(domain: CustomDomain): Promise<boolean>;
    /** The number of an organization's domains, including those that are being removed, counted up to a maximum. */
    countUpTo(orgId: string, most: number): Promise<number>;
  };
  hostnames: Pick<HostnameRepository, 'findReservation' | 'reserve' | 'replaceReservation'>;
  clock: Clock;
  ids: IdGenerator;
};

export type AddDomainResult = { domain: CustomDomain /** False: the organization had it already. */; isNew: boolean };

const TOKEN_BYTES = 32;

type Claimant = Pick<Organization, 'id' | 'limits'>;

/**
 * Reserves a hostname for an organization, whose owner then proves it with a TXT record: see `verify-domain.ts`. Of
 * several concurrent organizations, one gets it.
 *
 * The first reservation holds the hostname for 14 days, even against another organization's proof. It expires if it is
 * never proven, and an operator can remove it at any time, so it does not block the owner for longer. The hostname is
 * reserved before the domain is written. Repeating the command after a crash in between completes it; after 15 minutes
 * any organization can take such a reservation over.
 *
 * @throws Error with a message if the hostname is invalid, or reserved by another organization
 */
export async function addDomain(ports: AddDomainPorts, claimant: Claimant, given: string): Promise<AddDomainResult> {
  const { id: orgId } = claimant;
  const hostname = parseHostname(given);
  await requireRoom(ports, claimant, hostname);
  const nowMs = ports.clock.now();
  const mine = { orgId, domainId: ports.ids.uuid(), reservedAt: toIsoString(nowMs) };
  if (await ports.hostnames.reserve(hostname, mine)) return writeDomain(ports, hostname, mine);
  const existing = await ports.hostnames.findReservation(hostname);
  if (existing === undefined) throw concurrentChange();
  const holder = await ports.domains.find(existing);
  if (holder === undefined) return takeOver(ports, hostname, { existing, mine });
  if (holder.orgId !== orgId) throw new Error(describeHolder(holder));
  if (holder.status === 'removing') throw new Error(`${BEING_REMOVED} Add it again when the removal is complete.`);
  return { domain: holder, isNew: false };
}

/** Concurrent additions may exceed the limit together; this is acceptable, because operators add domains one by one. */
async function requireRoom({ domains, hostnames }: AddDomainPorts, { id, limits }: Claimant, hostname: string) {
  const most = limits.domains ?? DEFAULT_DOMAINS_MAX;
  if (most > 0 && (await domains.countUpTo(id, most)) < most) return;
  if ((await hostnames.findReservation(hostname))?.orgId === id) return;
  const domainsText = most === 1 ? '1 domain' : `${most} domains`;
  throw new Error(
    `The organization may have at most ${domainsText}: remove one, or raise the limit with "limits set --domains".`,
  );
}

/**
 * For a reservation without its domain: the organization's own immediately, another organization's when it is orphaned.
 */
async function takeOver(
  ports: AddDomainPorts,
  hostname: string,
  { existing, mine }: { existing: HostnameReservation; mine: HostnameReservation },
): Promise<AddDomainResult> {
  const isOwn = existing.orgId === mine.orgId;
  if (!isOwn && Date.parse(existing.reservedAt) + ORPHANED_RESERVATION_MS > Date.parse(mine.reservedAt))
    throw concurrentChange();
  // Renews the organization's own reservation too: it may be about to be released, or old enough to be taken over.
  const next = isOwn ? { ...existing, reservedAt: mine.reservedAt } : mine;
  if (!(await ports.hostnames.replaceReservation(hostname, existing, next))) throw concurrentChange();
  return writeDomain(ports, hostname, next);
}

const BEING_REMOVED = 'The domain of this hostname is being removed.';

async function writeDomain(
  ports: AddDomainPorts,
  hostname: string,
  { orgId, domainId }: HostnameReservation,
): Promise<AddDomainResult> {
  const nowMs = ports.clock.now();
  const domain: CustomDomain = {
    ...{ id: domainId, orgId, hostname, status: 'pending', pageIds: [] },
    verificationToken: ports.ids.randomSecret(TOKEN_BYTES),
    ...{
      tenantId: null,
      certificateArn: null,
      target: null,
      provisioning: null,
      removal: null,
      removalHoldUntil: null,
    },
    ...{ createdAt: toIsoString(nowMs), dueAt: toIsoString(nowMs + PENDING_TTL_MS), revision: 1 },
  };
  if (await ports.domains.create(domain)) return { domain, isNew: true };
  const there = await ports.domains.find(toDomainIds(domain));
  if (there === undefined) throw concurrentChange();
  return { domain: there, isNew: false };
}

function describeHolder({ orgId, id, status, createdAt }: CustomDomain): string {
  if (status === 'removing')
    return `${BEING_REMOVED} It belongs to organization ${orgId} until the removal is complete.`;
  if (status !== 'pending')
    return `The hostname belongs to organization ${orgId}, which has verified it: domain ${id}.`;
  const until = toIsoString(Date.parse(createdAt) + PENDING_TTL_MS).slice(0, 10);
  return (
    `The hostname is reserved for organization ${orgId} until ${until}, but not verified: ` +
    `remove its domain ${id} to release it now.`
  );
}

const concurrentChange = () =>
  new Error('Another command is reserving or releasing the hostname: try again in a minute.');
