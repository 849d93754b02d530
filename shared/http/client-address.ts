import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';

/** The headers by which our own CDN tells whom it serves, and proves that it is ours. */
export const CDN_HEADERS = { secret: 'x-cdn-proof', viewer: 'cloudfront-viewer-address' } as const;

export type AddressSource = { sourceIp: string; headers: Record<string, string | undefined> };

/** The networks that a client's address is counted in. */
type NetworkPrefixes = {
  /** An IPv4 address; the /64 of an IPv6 address, which is the least that a customer of a provider gets. */
  network: string;
  /** The /48 of an IPv6 address, which is the most that a customer usually gets (RFC 6177); undefined: IPv4. */
  site: string | undefined;
};

/**
 * The networks of the address that the gateway saw, or of the one that our CDN names if it proves itself.
 *
 * @param cdnProof the secret that the CDN sends; undefined: there is no CDN
 */
export function clientNetworkPrefixes({ sourceIp, headers }: AddressSource, cdnProof?: string): NetworkPrefixes {
  const viewer =
    cdnProof !== undefined && proves(headers[CDN_HEADERS.secret], cdnProof) ? viewerOf(headers) : undefined;
  return networkPrefixesOf(viewer ?? sourceIp);
}

/** The viewer's address without its port: `198.51.100.7:4711`, `2001:db8::1:4711` or `[2001:db8::1]:4711`. */
function viewerOf(headers: AddressSource['headers']): string | undefined {
  const address = headers[CDN_HEADERS.viewer]?.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}

function proves(given: string | undefined, proof: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(hash(given), hash(proof));
}

/** All spellings of an address have the same networks; an IPv4 address that is mapped into IPv6 is an IPv4 address. */
export function networkPrefixesOf(ip: string): NetworkPrefixes {
  if (!isIPv6(ip)) return { network: ip, site: undefined };
  const groups = groupsOf(ip);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
    return { network: bytes.join('.'), site: undefined };
  }
  const prefix = (length: number) => groups.slice(0, length).map((group) => group.toString(16));
  return { network: `${prefix(4).join(':')}::/64`, site: `${prefix(3).join(':')}::/48` };
}

/** The eight groups of an IPv6 address. As a URL's host it is written in one way: hexadecimal, with `::` at most once. */
function groupsOf(ip: string): number[] {
  const { hostname } = new URL(`http://[${ip.replace(/%.*$/s, '')}]`);
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
