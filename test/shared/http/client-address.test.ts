import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CDN_HEADERS, clientNetworkPrefixes, networkPrefixesOf } from '../../../shared/http/client-address.ts';
import {
  clientRateLimitPolicies,
  createClientPseudonymizer,
  pseudonymize,
} from '../../../shared/limits/client-pseudonym.ts';
import { UnavailableError } from '../../../shared/platform/unavailable.ts';

const from = (headers: Record<string, string>, proof?: string) =>
  clientNetworkPrefixes({ sourceIp: '203.0.113.7', headers }, proof).network;
const viewer = (address: string, proof: string) => ({ [CDN_HEADERS.viewer]: address, [CDN_HEADERS.secret]: proof });

test('headers change the client address only if the request has the secret of the configured CDN', () => {
  expect(from({ 'x-forwarded-for': '198.51.100.1' })).toBe('203.0.113.7');
  expect(from(viewer('198.51.100.1:443', 'guess'), 'secret')).toBe('203.0.113.7');
  expect(from(viewer('198.51.100.1:443', 'secret'))).toBe('203.0.113.7');
});

test.each([
  ['198.51.100.1:443', '198.51.100.1'],
  ['2001:db8:0:7::1:443', '2001:db8:0:7::/64'],
  ['[2001:db8:0:7::1]:443', '2001:db8:0:7::/64'],
  ['nonsense:443', '203.0.113.7'],
  ['', '203.0.113.7'],
])('with the secret of the CDN, the viewer header %j gives the network %s', (address, expected) => {
  expect(from(viewer(address, 'secret'), 'secret')).toBe(expected);
});

test('the pseudonym of an address is a hash that is different for each address and each UTC day', () => {
  const day = Date.parse('2026-03-01T23:59:59Z');
  const key = (ms: number, address: string) => pseudonymize('secret', { now: () => ms }, address);
  expect(key(day, '203.0.113.7')).toBe(key(day - 3_600_000, '203.0.113.7'));
  expect(key(day, '203.0.113.7')).not.toBe(key(day + 1_000, '203.0.113.7'));
  expect(key(day, '203.0.113.7')).not.toBe(key(day, '203.0.113.8'));
  expect(key(day, '203.0.113.7')).toMatch(/^[\w-]{22}$/);
});

test('pseudonymsOf throws UnavailableError if the hash secret cannot be read', async () => {
  const pseudonymizer = createClientPseudonymizer({
    secrets: { read: async () => Promise.reject(new Error('down')) },
    secretIds: () => ({ hash: 'hash', cdn: 'cdn' }),
    clock: { now: () => 0 },
  });
  await expect(pseudonymizer.pseudonymsOf({ sourceIp: '203.0.113.7', headers: {} })).rejects.toThrow(UnavailableError);
});

test.each([
  ['203.0.113.7', '203.0.113.7', undefined],
  ['::ffff:203.0.113.7', '203.0.113.7', undefined],
  ['::FFFF:CB00:7107', '203.0.113.7', undefined],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7', undefined],
  ['::ffff:203.0.113.7%eth0', '203.0.113.7', undefined],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8:1:2::6%eth0', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8::203.0.113.7', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ['::', '0:0:0:0::/64', '0:0:0::/48'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64', '64:ff9b:0::/48'],
  ['', '', undefined],
])('the address %j has the network %j and the /48 site %s', (ip, network, site) => {
  expect(networkPrefixesOf(ip)).toEqual({ network, site });
});

const spellingsOf = (groups: readonly number[]): string[] => {
  const hex = groups.map((group) => group.toString(16));
  const long = hex.map((group) => group.padStart(4, '0'));
  const tail = groups.slice(6).flatMap((group) => [group >> 8, group & 255]);
  const zeros = hex.indexOf('0');
  const short = zeros < 0 ? hex.join(':') : `${hex.slice(0, zeros).join(':')}::${hex.slice(zeros + 1).join(':')}`;
  const written = [hex.join(':'), long.join(':'), short, `${hex.slice(0, 6).join(':')}:${tail.join('.')}`];
  return written.flatMap((one) => [one, one.toUpperCase(), `${one}%1`]);
};
const aGroup = fc.oneof(fc.constantFrom(0, 0xffff), fc.nat(0xffff));
const groupsOf = (length: number) => fc.array(aGroup, { minLength: length, maxLength: length });

test('in any spelling, an IPv6 address that is not IPv4-mapped has a network of 64 bits and a site of 48 bits', () => {
  fc.assert(
    fc.property(groupsOf(8), groupsOf(4), (groups, others) => {
      const [first = ''] = spellingsOf(groups);
      const counted = networkPrefixesOf(first);
      for (const spelling of spellingsOf(groups)) expect(networkPrefixesOf(spelling)).toEqual(counted);
      const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
      if (mapped) return;
      const [neighbour = ''] = spellingsOf([...groups.slice(0, 4), 1, ...others.slice(1)]);
      expect(networkPrefixesOf(neighbour)).toEqual(counted);
      const [sibling = ''] = spellingsOf([...groups.slice(0, 3), (groups[3] ?? 0) ^ 1, 1, ...others.slice(1)]);
      expect(networkPrefixesOf(sibling).site).toBe(counted.site);
      expect(networkPrefixesOf(sibling).network).not.toBe(counted.network);
    }),
  );
});

test('an IPv4 client has one rate limit; an IPv6 client has a second rate limit for its /48, ten times as high', () => {
  const window = { name: 'mfa-check-60s', limit: 30, windowSeconds: 60, onOutage: 'deny' } as const;
  expect(clientRateLimitPolicies({ network: 'n', site: undefined }, window)).toEqual([
    { ...window, partitionKey: 'n' },
  ]);
  expect(clientRateLimitPolicies({ network: 'n', site: 's' }, window)).toEqual([
    { ...window, partitionKey: 'n' },
    { ...window, name: 'mfa-check-60s-site', partitionKey: 's', limit: 300 },
  ]);
});
