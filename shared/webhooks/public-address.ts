import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The only IPv6 range that is allocated for global unicast (RFC 4291 section 2.4, IANA's registry). The library also
 * classifies some other prefixes as `unicast`. Those are special, unallocated, or contain an IPv4 address, for example
 * `::/96`.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether the text is a public unicast address in the notation of DNS responses and parsed URLs. The range `unicast` of
 * the library excludes private, shared, reserved, documentation and benchmarking ranges, and the ranges 2001::/23
 * (Teredo and other protocols, RFC 2928) and 2002::/16 (6to4).
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return ipaddr.IPv4.parse(address).range() === 'unicast';
    case 6: {
      const parsed = ipaddr.IPv6.parse(address);
      return parsed.range() === 'unicast' && parsed.match(GLOBAL_UNICAST) && parsed.zoneId === undefined;
    }
    default:
      return false;
  }
}
