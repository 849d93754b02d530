import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

export type EndpointUrlOptions = {
  /** Hostnames of this deployment, in lower case. Messages must not be sent to them or to their subdomains. */
  ownHostnames: readonly string[];
  /** Origins that are accepted without a check of scheme, host and port. Empty except on a laptop. */
  allowedOrigins: readonly string[];
};

const URL_LENGTH_MAX = 2_048;
const PORTS: readonly string[] = ['', '8443'];

/** Names that are not in the public DNS: RFC 6761, 6762, 7686, 8375, 9476, and ICANN's resolution on `.internal`. */
const RESERVED_SUFFIXES = ['localhost', 'local', 'internal', 'test', 'invalid', 'onion', 'alt', 'home.arpa'];

/**
 * Checks and normalizes the URL of a webhook endpoint. `problem` tells the organization what to change. Hostnames are
 * not resolved: the sender checks the addresses when it connects.
 */
export function parseEndpointUrl(text: string, options: EndpointUrlOptions): { url: string } | { problem: string } {
  const url = text.length > URL_LENGTH_MAX ? null : URL.parse(text);
  // Also checks the length of the normalized URL, which can be longer.
  if (text.length > URL_LENGTH_MAX || (url !== null && url.href.length > URL_LENGTH_MAX)) {
    return { problem: `The URL must have at most ${URL_LENGTH_MAX} characters.` };
  }
  if (url === null) return { problem: 'The URL must be complete and valid, for example https://example.com/webhooks.' };
  const problem = findProblem(url, options);
  return problem === undefined ? { url: url.href } : { problem };
}

function findProblem(url: URL, { ownHostnames, allowedOrigins }: EndpointUrlOptions): string | undefined {
  if (url.username !== '' || url.password !== '') {
    return 'The URL must not contain a user name or password. Verify the signature of messages instead.';
  }
  if (url.href.includes('#')) return 'The URL must not contain a fragment. Remove the # and the text after it.';
  // The protocol must be checked, too, because the `origin` of `blob:https://a.example/` is `https://a.example`.
  if (allowedOrigins.includes(url.origin) && url.protocol !== 'blob:') return undefined;
  const problem = findOriginProblem(url, ownHostnames);
  if (problem === undefined || allowedOrigins.length === 0) return problem;
  return `${problem} On a laptop, \`npm start -- --webhook-origin URL\` allows an address of this machine.`;
}

function findOriginProblem(url: URL, ownHostnames: readonly string[]): string | undefined {
  if (url.protocol !== 'https:') return 'The URL must start with https://.';
  if (!PORTS.includes(url.port)) return `The URL must use port 443 or 8443, not port ${url.port}.`;
  return findHostProblem(hostOf(url), ownHostnames);
}

/** The host for DNS and TLS: without the brackets of IPv6 addresses. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

function findHostProblem(host: string, ownHostnames: readonly string[]): string | undefined {
  if (isIP(host) !== 0) {
    return isPublicAddress(host) ? undefined : `The URL must not use the address ${host}, because it is not public.`;
  }
  if (host.endsWith('.')) return 'The hostname of the URL must not end with a dot. Remove the dot.';
  if (!host.includes('.')) {
    return `The URL must use a complete public hostname, such as hooks.example.com, not ${host}.`;
  }
  const reserved = RESERVED_SUFFIXES.find((suffix) => host.endsWith(`.${suffix}`));
  if (reserved !== undefined) {
    return `The URL must use a public hostname. Hostnames that end in .${reserved} are not in the public DNS.`;
  }
  if (ownHostnames.some((own) => host === own || host.endsWith(`.${own}`))) {
    return `The URL must use a hostname of your own. ${host} belongs to the service that sends the messages.`;
  }
  return undefined;
}
