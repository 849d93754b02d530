import { type CustomDomain, type DomainIds, toDomainIds } from '../../../shared/domains/domain.ts';
import type { DomainRepository, HostnameRepository } from '../../../shared/domains/ports.ts';
import { PENDING_TTL_MS, toIsoString } from '../../../shared/domains/schedule.ts';
import type { Clock } from '../../../shared/platform/clock.ts';

export type VerifyDomainPorts = {
  domains: Pick<DomainRepository, 'find' | 'update'>;
  hostnames: Pick<HostnameRepository, 'findReservation'>;
  dns: {
    /** Returns the values of a name's TXT records; empty if there are none. @throws Error if DNS cannot be queried */
    txt(name: string): Promise<string[]>;
  };
  clock: Clock;
};

export type VerifyDomainResult =
  | { outcome: 'verified' | 'already'; domain: CustomDomain }
  | { outcome: 'not_found'; found: number };

export const DOMAIN_BEING_REMOVED = 'The domain is being removed: see its progress with "domains show".';

export const unknownDomain = ({ domainId }: DomainIds) =>
  new Error(`The organization has no domain ${domainId}: see "domains list".`);

/** Returns the TXT record that proves ownership of a hostname. */
export const txtRecordFor = ({ hostname, verificationToken }: CustomDomain): { name: string; value: string } => ({
  name: `_tributary.${hostname}`,
  value: `tributary-verify=${verificationToken}`,
});

/**
 * If the domain is not verified yet, looks up the proof of ownership in DNS. If DNS has the proof, marks the domain as
 * verified, so that the sweeper provisions the domain.
 *
 * @throws Error with the reason: the domain does not exist, is being removed, lost its hostname, or was not verified
 *   within 14 days; DNS cannot be queried; or another process changed the domain without verifying it
 */
export async function verifyDomain(ports: VerifyDomainPorts, ids: DomainIds): Promise<VerifyDomainResult> {
  const domain = await ports.domains.find(ids);
  if (domain === undefined) throw unknownDomain(ids);
  if (domain.status === 'removing') throw new Error(DOMAIN_BEING_REMOVED);
  if (domain.status !== 'pending') return { outcome: 'already', domain };
  refuseLate(domain, ports.clock.now());
  const { name, value } = txtRecordFor(domain);
  const values = await ports.dns.txt(name);
  if (!values.some((text) => text.trim() === value)) return { outcome: 'not_found', found: values.length };
  const holder = await ports.hostnames.findReservation(domain.hostname);
  if (holder?.domainId !== domain.id)
    throw new Error(`The hostname ${domain.hostname} is no longer reserved for this domain: add the hostname again.`);
  return verified(ports, domain);
}

function refuseLate({ createdAt, hostname }: CustomDomain, nowMs: number): void {
  if (Date.parse(createdAt) + PENDING_TTL_MS > nowMs) return;
  throw new Error(
    `The hostname ${hostname} was not verified within 14 days, so its domain is about to be removed. Remove it with ` +
      '"domains remove", or wait until "domains list" does not show it any more. Then add the hostname again.',
  );
}

async function verified({ domains, clock }: VerifyDomainPorts, domain: CustomDomain): Promise<VerifyDomainResult> {
  const now = toIsoString(clock.now());
  const provisioning = { since: now, attempts: 0, failureReason: null };
  const changed = await domains.update(domain, { status: 'verified', provisioning, dueAt: now });
  if (changed !== undefined) return { outcome: 'verified', domain: changed };
  const there = await domains.find(toDomainIds(domain));
  if (there?.status === 'verified' || there?.status === 'active') return { outcome: 'already', domain: there };
  throw new Error(`Another process changed the domain ${domain.id} at the same time: try again.`);
}
