import { type CustomDomain, DEFAULT_DOMAINS_MAX, toDomainIds } from '../../../shared/domains/domain.ts';
import type { DomainRepository, HostnameRepository, HostnameReservation } from '../../../shared/domains/ports.ts';
import { ORPHANED_RESERVATION_MS, PENDING_TTL_MS, toIsoString } from '../../../shared/domains/schedule.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { IdGenerator } from '../../../shared/platform/id-generator.ts';
import { parseHostname } from './hostname.ts';

export type AddDomainPorts = {
  domains: Pick<DomainRepository, 'find'> & {
    /** Returns false, without a write, if the id exists. */
    create(domain: CustomDomain): Promise<boolean>;
    /** Counts an organization's domains, including those that are being removed. Stops counting at `most`. */
    countUpTo(orgId: string, most: number): Promise<number>;
  };
  hostnames: Pick<HostnameRepository, 'findReservation' | 'reserve' | 'replaceReservation'>;
  clock: Clock;
  ids: IdGenerator;
};

export type AddDomainResult = {
  domain: CustomDomain;
  /** False if the organization already had the domain. */
  isNew: boolean;
};

const TOKEN_BYTES = 32;

type Claimant = Pick<Organization, 'id' | 'limits'>;

/**
 * Reserves a hostname for an organization. If several organizations reserve a hostname concurrently, at most one of
 * them succeeds. An unverified reservation blocks the hostname for at most 14 days, even for its real owner.
 *
 * The reservation is written before the domain. If the command crashes between the two writes, repeating the command
 * writes the domain. After 15 minutes, any organization can take over a reservation without a domain.
 *
 * @throws Error with the reason: the hostname is invalid, reserved by another organization or being removed; the
 *   organization has reached its limit; or the reservation changed concurrently
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
  if (holder.status === 'removing')
    throw new Error(`${BEING_REMOVED} Add the hostname again when the removal is complete.`);
  return { domain: holder, isNew: false };
}

/**
 * Throws if the organization has reached its limit, except if it has already reserved the hostname. Concurrent
 * additions can exceed the limit. This is acceptable, because operators add domains one by one.
 */
async function requireRoom({ domains, hostnames }: AddDomainPorts, { id, limits }: Claimant, hostname: string) {
  const most = limits.domains ?? DEFAULT_DOMAINS_MAX;
  if (most > 0 && (await domains.countUpTo(id, most)) < most) return;
  if ((await hostnames.findReservation(hostname))?.orgId === id) return;
  const domainsText = most === 1 ? '1 domain' : `${most} domains`;
  throw new Error(
    `The organization may have at most ${domainsText}: raise the limit with "limits set --domains", or remove a domain.`,
  );
}

/**
 * Takes over a reservation that has no domain. An organization can take over its own reservation immediately. It can
 * take over the reservation of another organization after `ORPHANED_RESERVATION_MS`.
 */
async function takeOver(
  ports: AddDomainPorts,
  hostname: string,
  { existing, mine }: { existing: HostnameReservation; mine: HostnameReservation },
): Promise<AddDomainResult> {
  const isOwn = existing.orgId === mine.orgId;
  if (!isOwn && Date.parse(existing.reservedAt) + ORPHANED_RESERVATION_MS > Date.parse(mine.reservedAt))
    throw concurrentChange();
  // Write even the organization's own reservation. If a concurrent process has released it, the write fails. Otherwise,
  // other organizations cannot take over the hostname for `ORPHANED_RESERVATION_MS` after the new `reservedAt`.
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
    id: domainId,
    orgId,
    hostname,
    status: 'pending',
    pageIds: [],
    verificationToken: ports.ids.randomSecret(TOKEN_BYTES),
    tenantId: null,
    certificateArn: null,
    target: null,
    provisioning: null,
    removal: null,
    removalHoldUntil: null,
    createdAt: toIsoString(nowMs),
    activatedAt: null,
    dueAt: toIsoString(nowMs + PENDING_TTL_MS),
    revision: 1,
  };
  if (await ports.domains.create(domain)) return { domain, isNew: true };
  const there = await ports.domains.find(toDomainIds(domain));
  if (there === undefined) throw concurrentChange();
  return { domain: there, isNew: false };
}

function describeHolder({ orgId, id, status, createdAt }: CustomDomain): string {
  if (status === 'removing')
    return `${BEING_REMOVED} The hostname belongs to organization ${orgId} until the removal is complete.`;
  if (status !== 'pending')
    return `The hostname belongs to organization ${orgId}, which has verified it as domain ${id}.`;
  const until = toIsoString(Date.parse(createdAt) + PENDING_TTL_MS).slice(0, 10);
  return (
    `The hostname is reserved for organization ${orgId} until ${until}, but not verified: ` +
    `remove the domain ${id} to release the hostname now.`
  );
}

const concurrentChange = () =>
  new Error(
    'Another process is reserving or releasing the hostname: try again in a minute. ' +
      'If that process crashed, the hostname is free after 15 minutes.',
  );
