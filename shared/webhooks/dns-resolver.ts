import { promises } from 'node:dns';
import { readSetting } from '../platform/settings.ts';

/** Both methods reject with an error whose `code` names the failure, for example `ENOTFOUND` or `ENODATA`. */
export type Resolver = {
  /** The addresses of the hostname's A records. */
  resolve4(hostname: string, signal: AbortSignal): Promise<string[]>;
  /** The addresses of the hostname's AAAA records. */
  resolve6(hostname: string, signal: AbortSignal): Promise<string[]>;
};

/** With one server, the two tries take at most 1.5 s and 3 s. More than half of an attempt's 10 s is then left. */
const QUERY_OPTIONS = { timeout: 1_500, tries: 2 };

/**
 * Queries the servers in the setting `dnsServers`, or else those of the machine. Does not use `dns.lookup`, because it
 * cannot be cancelled. Until its own timeout, it would occupy one of the process's four threads for file and DNS
 * access.
 */
export const systemResolver: Resolver = {
  resolve4: (hostname, signal) => query((resolver) => resolver.resolve4(hostname), signal),
  resolve6: (hostname, signal) => query((resolver) => resolver.resolve6(hostname), signal),
};

async function query<T>(send: (resolver: promises.Resolver) => Promise<T>, signal: AbortSignal): Promise<T> {
  const resolver = new promises.Resolver(QUERY_OPTIONS);
  const servers = readSetting('dnsServers');
  if (servers !== undefined) resolver.setServers(servers.split(','));
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await send(resolver);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
