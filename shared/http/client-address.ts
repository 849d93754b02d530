import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';

/** The headers by which our own CDN tells whom it serves, and proves that it is ours. */
export const CDN_HEADERS = { proof: 'x-cdn-proof', viewer: 'cloudfront-viewer-address' } as const;

export type Asking = { sourceIp: string; headers: Record<string, string | undefined> };

/**
 * Who counts as one client: the address that the gateway saw, or the one that our CDN names if it proves itself; an
 * IPv6 address by its /64, which is what one customer is given.
 *
 * @param cdnProof the secret that the CDN sends; undefined: there is no CDN
 */
export function clientAddress({ sourceIp, headers }: Asking, cdnProof?: string): string {
  const viewer = cdnProof !== undefined && proves(headers[CDN_HEADERS.proof], cdnProof) ? viewerOf(headers) : undefined;
  return networkOf(viewer ?? sourceIp);
}

/** The viewer's address without its port: `198.51.100.7:4711`, `2001:db8::1:4711` or `[2001:db8::1]:4711`. */
function viewerOf(headers: Asking['headers']): string | undefined {
  const address = headers[CDN_HEADERS.viewer]?.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}

function proves(given: string | undefined, proof: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return given !== undefined && timingSafeEqual(hash(given), hash(proof));
}

/** An IPv4 address, or the first four groups of an IPv6 address. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const missing = tail === undefined ? 0 : 8 - groups.length - after.length;
  const all = [...groups, ...Array<string>(missing).fill('0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
