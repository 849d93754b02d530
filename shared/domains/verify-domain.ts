import type { Clock } from '../platform/clock.ts';
import { type Domain, type DomainIds, idsOf } from './domain.ts';
import type { Domains, Hostnames } from './domains.ts';
import { isoTime, PENDING_MS } from './schedule.ts';

export type VerifyPorts = {
  domains: Pick<Domains, 'find' | 'change'>;
  hostnames: Pick<Hostnames, 'holder'>;
  dns: {
    /** The values of a name's TXT records; none when there is no such name. @throws Error with a sentence */
    txt(name: string): Promise<string[]>;
  };
  clock: Clock;
};

export type Verified = { outcome: 'verified' | 'already'; domain: Domain } | { outcome: 'not_found'; found: number };

/** The TXT record that proves a hostname. */
export const proofOf = ({ hostname, verificationToken }: Domain): { name: string; value: string } => ({
  name: `_tributary.${hostname}`,
  value: `tributary-verify=${verificationToken}`,
});

/**
 * Looks for the proof of a hostname in DNS. From then on the sweeper sets the domain up at the edge.
 *
 * @throws Error with a sentence where there is nothing to prove
 */
export async function verifyDomain(ports: VerifyPorts, ids: DomainIds): Promise<Verified> {
  const domain = await ports.domains.find(ids);
  if (domain === undefined) throw new Error('The organization has no such domain.');
  if (domain.status === 'removing') throw new Error('The domain is being removed.');
  if (domain.status !== 'pending') return { outcome: 'already', domain };
  refuseLate(domain, ports.clock.now());
  const { name, value } = proofOf(domain);
  const values = await ports.dns.txt(name);
  if (!values.some((text) => text.trim() === value)) return { outcome: 'not_found', found: values.length };
  const holder = await ports.hostnames.holder(domain.hostname);
  if (holder?.domainId !== domain.id) throw new Error('Another claim has taken the hostname over: add it again.');
  return verified(ports, domain);
}

function refuseLate({ createdAt }: Domain, nowMs: number): void {
  if (Date.parse(createdAt) + PENDING_MS > nowMs) return;
  throw new Error('The claim was not proven within 14 days and has ended: add the hostname again.');
}

async function verified({ domains, clock }: VerifyPorts, domain: Domain): Promise<Verified> {
  const now = isoTime(clock.now());
  const setUp = { since: now, attempts: 0, problem: null };
  const changed = await domains.change(domain, { status: 'verified', setUp, dueAt: now });
  if (changed !== undefined) return { outcome: 'verified', domain: changed };
  const there = await domains.find(idsOf(domain));
  if (there?.status === 'verified' || there?.status === 'active') return { outcome: 'already', domain: there };
  throw new Error('The domain has changed meanwhile: try again.');
}
