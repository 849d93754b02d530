import { expect, test } from 'vitest';
import { addressGate } from '../../../shared/http/address-gate.ts';
import { CDN_HEADERS, clientAddress } from '../../../shared/http/client-address.ts';
import { addressKey } from '../../../shared/limits/address-key.ts';
import { unlimited } from '../../../shared/limits/limiter.ts';

const from = (headers: Record<string, string>, proof?: string) =>
  clientAddress({ sourceIp: '203.0.113.7', headers }, proof);
const viewer = (address: string, proof: string) => ({ [CDN_HEADERS.viewer]: address, [CDN_HEADERS.proof]: proof });

test('the client is whom the gateway saw, whatever a header claims', () => {
  expect(from({ 'x-forwarded-for': '198.51.100.1' })).toBe('203.0.113.7');
  expect(from(viewer('198.51.100.1:443', 'guess'), 'secret')).toBe('203.0.113.7');
  expect(from(viewer('198.51.100.1:443', 'secret'))).toBe('203.0.113.7');
});

test.each([
  ['198.51.100.1:443', '198.51.100.1'],
  ['2001:db8:0:7::1:443', '2001:db8:0:7'],
  ['[2001:db8:0:7::1]:443', '2001:db8:0:7'],
  ['nonsense:443', '203.0.113.7'],
  ['', '203.0.113.7'],
])('the CDN that proves itself names the viewer: %j', (address, expected) => {
  expect(from(viewer(address, 'secret'), 'secret')).toBe(expected);
});

test('an address of one day is another key the next day, and no key shows its address', () => {
  const day = Date.parse('2026-03-01T23:59:59Z');
  const key = (ms: number, address: string) => addressKey('secret', { now: () => ms }, address);
  expect(key(day, '203.0.113.7')).toBe(key(day - 3_600_000, '203.0.113.7'));
  expect(key(day, '203.0.113.7')).not.toBe(key(day + 1_000, '203.0.113.7'));
  expect(key(day, '203.0.113.7')).not.toBe(key(day, '203.0.113.8'));
  expect(key(day, '203.0.113.7')).toMatch(/^[\w-]{22}$/);
});

test('503: without the secret nothing is counted under an unkeyed hash', async () => {
  const gate = addressGate({
    limiter: unlimited,
    secrets: { read: async () => Promise.reject(new Error('down')) },
    secretIds: () => ({ hash: 'hash', cdn: 'cdn' }),
    clock: { now: () => 0 },
  });
  await expect(gate.keyOf({ sourceIp: '203.0.113.7', headers: {} })).rejects.toMatchObject({ status: 503 });
});
