import { Resolver } from 'node:dns/promises';
import { readSetting } from '../../../shared/platform/settings.ts';
import type { VerifyDomainPorts } from './verify-domain.ts';

const TIMEOUT_MS = 3_000;
const TRIES = 2;
/** Error codes for a name that does not exist, and for a name that has no TXT record. */
const NONE: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Uses the DNS servers in the setting `dnsServers` (`host:port`, comma-separated). Default: the system's servers. */
export function createDnsTxtResolver(): VerifyDomainPorts['dns'] {
  return {
    txt: async (name) => {
      const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
      const servers = readSetting('dnsServers');
      if (servers !== undefined) resolver.setServers(servers.split(','));
      try {
        // DNS splits a value of more than 255 bytes into chunks.
        return (await resolver.resolveTxt(name)).map((chunks) => chunks.join(''));
      } catch (cause) {
        const { code } = cause as { code?: unknown };
        if (NONE.has(code)) return [];
        throw new Error(`DNS could not be queried for ${name} (${String(code)}): try again in a moment.`, { cause });
      }
    },
  };
}
