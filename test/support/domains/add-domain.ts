import { type AddDomainPorts, addDomain } from '../../../infra/cli/domains/add-domain.ts';
import { type VerifyDomainResult, verifyDomain } from '../../../infra/cli/domains/verify-domain.ts';
import { type CustomDomain, toDomainIds } from '../../../shared/domains/domain.ts';
import { systemIdGenerator } from '../../../shared/platform/id-generator.ts';
import { type Around, effects } from '../training/lifecycle.ts';
import { type DomainWorld, domainWorld } from './domain-world.ts';
import type { DomainStores } from './memory-domains.ts';

/** Creates a world in which hostnames can be added, with a DNS zone to verify them. */
export function claimWorld(stores?: DomainStores) {
  const world: DomainWorld = domainWorld(stores === undefined ? {} : { stores });
  const zone = new Map<string, string[]>();
  const asked: string[] = [];
  const txt = async (name: string): Promise<string[]> => {
    asked.push(name);
    return zone.get(name) ?? [];
  };
  const portsOf = (around: Around): AddDomainPorts => ({
    domains: effects('domains', world.domains, around),
    hostnames: effects('hostnames', world.hostnames, around),
    clock: world.clock,
    ids: systemIdGenerator,
  });
  return {
    ...world,
    zone,
    asked,
    add: (
      id: string,
      hostname: string,
      around: Around = (_effect, work) => work(),
      limits: { domains?: number } = {},
    ) => addDomain(portsOf(around), { id, limits }, hostname),
    verify: (domain: CustomDomain): Promise<VerifyDomainResult> =>
      verifyDomain({ ...world, dns: { txt } }, toDomainIds(domain)),
    /** Creates the TXT record that verifies a hostname. */
    prove: ({ hostname, verificationToken: token }: CustomDomain) =>
      zone.set(`_tributary.${hostname}`, ['v=spf1 -all', `tributary-verify=${token}`]),
  };
}
