import { expect, test } from 'vitest';
import { isPublicAddress } from '../../../shared/webhooks/public-address.ts';
import { HOSTILE_ADDRESSES } from './hostile-urls.ts';

test.each(HOSTILE_ADDRESSES)('%j is not a public address', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

// Includes the addresses directly before and after special ranges, to test that no special range is too large.
test.each([
  ...['1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0'],
  ...['192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '203.0.112.255', '203.0.114.0'],
  ...['223.255.255.255', '2001:200::', '2001:4860:4860::8888', '2001:db7:ffff::1', '2001:db9::', '2003::', '2400::1'],
  ...['2606:4700::1111', '2A05:D014::1', '3ffe:ffff::1'],
])('%s is a public address', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});
