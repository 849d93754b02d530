import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';

/**
 * Headers that our CDN adds: the client's address, and a secret that proves the request came through the CDN (ADR
 * 0016).
 */
export const CDN_HEADERS = { secret: 'x-cdn-proof', viewer: 'cloudfront-viewer-address' } as const;

export type AddressSource = { sourceIp: string; headers: Record<string, string | undefined> };

/** The networks of a client's address. Rate limits count requests per network. */
type NetworkPrefixes = {
  /** An IPv4 address, or the /64 of an IPv6 address. Providers usually assign no smaller network to a subscriber. */
  network: string;
  /** The /48 of an IPv6 address, the largest network that a subscriber usually gets (RFC 6177). Undefined for IPv4. */
  site: string | undefined;
};

/**
 * Returns the networks of the address that the CDN reports. If the CDN's secret is missing or wrong, or the CDN reports
 * no valid address, returns the networks of the address that API Gateway saw.
 *
 * @param cdnSecret undefined when no CDN is configured
 */
export function clientNetworkPrefixes({ sourceIp, headers }: AddressSource, cdnSecret?: string): NetworkPrefixes {
  const isFromCdn = cdnSecret !== undefined && isEqualSecret(headers[CDN_HEADERS.secret], cdnSecret);
  return networkPrefixesOf((isFromCdn ? viewerAddress(headers) : undefined) ?? sourceIp);
}

/**
 * Returns the address in a header such as `198.51.100.7:4711`, `2001:db8::1:4711` or `[2001:db8::1]:4711`, without the
 * port. Returns undefined if the header contains no valid address.
 */
function viewerAddress(headers: AddressSource['headers']): string | undefined {
  const address = headers[CDN_HEADERS.viewer]?.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}

function isEqualSecret(given: string | undefined, secret: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(hash(given), hash(secret));
}

/** Returns the same prefixes for all spellings of an address. An IPv4-mapped IPv6 address is treated as IPv4. */
export function networkPrefixesOf(ip: string): NetworkPrefixes {
  if (!isIPv6(ip)) return { network: ip, site: undefined };
  const groups = ipv6Groups(ip);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
    return { network: bytes.join('.'), site: undefined };
  }
  const prefix = (length: number) => groups.slice(0, length).map((group) => group.toString(16));
  return { network: `${prefix(4).join(':')}::/64`, site: `${prefix(3).join(':')}::/48` };
}

/**
 * Returns the eight groups of an IPv6 address. The URL parser normalizes the address to hexadecimal with at most one
 * `::`.
 */
function ipv6Groups(ip: string): number[] {
  const { hostname } = new URL(`http://[${ip.replace(/%.*$/s, '')}]`);
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
