import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, encode, type Packet } from 'dns-packet';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveDnsQuery } from '../../../../infra/local/dns/resolve-query.ts';
import { startDns } from '../../../../infra/local/dns/server.ts';

const HOST = '127.0.0.1';
const folder = mkdtempSync(join(tmpdir(), 'tributary-dns-'));
let dns: Awaited<ReturnType<typeof startDns>>;
const start = async () => {
  dns = await startDns(HOST, folder);
};
beforeAll(start);
afterAll(() => {
  dns.close();
  rmSync(folder, { recursive: true });
});

const records = (request: RequestInit = {}, query = '') =>
  fetch(`http://${HOST}:${dns.http}/records${query}`, {
    ...request,
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
  });
const put = (record: object) => records({ method: 'PUT', body: JSON.stringify(record) });
const resolver = () => {
  const asked = new Resolver({ timeout: 10_000, tries: 2 });
  asked.setServers([`${HOST}:${dns.udp}`]);
  return asked;
};

test('records are resolved regardless of letter case, until they are replaced or removed', async () => {
  expect((await put({ name: '_tributary.Shop.example.', type: 'TXT', value: 'token-1' })).status).toBe(200);
  await put({ name: 'www.shop.example', type: 'CNAME', value: 'pages.edge.example.' });
  expect(await resolver().resolveTxt('_TRIBUTARY.shop.example')).toEqual([['token-1']]);
  expect(await resolver().resolveCname('www.shop.example')).toEqual(['pages.edge.example']);
  await put({ name: '_tributary.shop.example', type: 'TXT', value: 'token-2' });
  expect(await resolver().resolveTxt('_tributary.shop.example')).toEqual([['token-2']]);
  await records({ method: 'DELETE' }, '?name=_tributary.shop.example&type=TXT');
  await expect(resolver().resolveTxt('_tributary.shop.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('a TXT record of 1,000 characters is resolved completely', async () => {
  const value = 'x'.repeat(1_000);
  await put({ name: 'long.example', type: 'TXT', value });
  const [chunks = []] = await resolver().resolveTxt('long.example');
  expect(chunks.join('')).toBe(value);
});

test('a name without records gives NXDOMAIN, and a name without a record of the requested type gives an empty answer', async () => {
  await put({ name: 'known.example', type: 'TXT', value: 'yes' });
  await expect(resolver().resolveTxt('unknown.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(resolver().resolveCname('known.example')).rejects.toMatchObject({ code: 'ENODATA' });
});

test('CNAME records are followed; if they form a cycle, the answer ends after eight records', async () => {
  const known = [
    { name: 'a.example', type: 'CNAME', value: 'b.example' },
    { name: 'b.example', type: 'TXT', value: 'found' },
    { name: 'c.example', type: 'CNAME', value: 'd.example' },
    { name: 'd.example', type: 'CNAME', value: 'c.example' },
  ] as const;
  const ask = (name: string) => {
    const reply = resolveDnsQuery(encode({ type: 'query', id: 7, questions: [{ name, type: 'TXT' }] }), known);
    return decode(reply ?? Buffer.alloc(0));
  };
  expect(ask('a.example').answers?.map(({ type }) => type)).toEqual(['CNAME', 'TXT']);
  expect(ask('c.example').answers).toHaveLength(8);
});

test('records survive a restart; if their file is incomplete, the server starts without records', async () => {
  await put({ name: 'kept.example', type: 'TXT', value: 'kept' });
  dns.close();
  await start();
  expect(await resolver().resolveTxt('kept.example')).toEqual([['kept']]);
  dns.close();
  writeFileSync(join(folder, 'records.json'), '[{"name":"kept.ex');
  await start();
  await expect(resolver().resolveTxt('kept.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test.each([
  [400, 'a body that is not JSON', '{'],
  [400, 'a record of the type A', JSON.stringify({ name: 'a.example', type: 'A', value: '192.0.2.1' })],
  [400, 'an invalid name', JSON.stringify({ name: 'a..example', type: 'TXT', value: 'x' })],
  [
    400,
    'a text that is too long for a packet',
    JSON.stringify({ name: 'a.example', type: 'TXT', value: 'x'.repeat(1_001) }),
  ],
  [400, 'an alias without a target', JSON.stringify({ name: 'a.example', type: 'CNAME', value: '' })],
  [413, 'a body that is too large', 'x'.repeat(100_000)],
])('%i: %s is rejected and not stored', async (status, _, body) => {
  const before = await (await records()).json();
  expect((await records({ method: 'PUT', body })).status).toBe(status);
  expect(await (await records()).json()).toEqual(before);
});

test('415: a record that is not sent as application/json is not stored', async () => {
  const body = JSON.stringify({ name: 'form.example', type: 'TXT', value: 'x' });
  const response = await fetch(`http://${HOST}:${dns.http}/records`, { method: 'PUT', body });
  expect(response.status).toBe(415);
  await expect(resolver().resolveTxt('form.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('no packet causes an error, and the server does not respond to a DNS response', () => {
  const query: Packet = { type: 'query', id: 1, questions: [{ name: 'known.example', type: 'TXT' }] };
  const whole = encode({ ...query, additionals: [] });
  const damaged = fc
    .tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), fc.integer({ min: 1, max: whole.length }))
    .map(([at, byte, length]) => {
      const packet = Buffer.from(whole);
      packet[at] = byte;
      return packet.subarray(0, length);
    });
  const any = fc.oneof(
    fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
    damaged,
  );
  fc.assert(
    fc.property(any, (packet) => {
      const reply = resolveDnsQuery(packet, [{ name: 'known.example', type: 'TXT', value: 'yes' }]);
      if (reply !== undefined) expect(decode(reply)).toMatchObject({ type: 'response' });
    }),
    { numRuns: 2_000 },
  );
  expect(resolveDnsQuery(encode({ ...query, type: 'response' }), [])).toBeUndefined();
});

test('the server still resolves records after invalid packets', async () => {
  const socket = createSocket('udp4');
  for (const bytes of [[], [0], [255, 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 192, 12], Array(1_400).fill(65)]) {
    socket.send(Uint8Array.from(bytes), dns.udp, HOST);
  }
  socket.close();
  await once(socket, 'close');
  await put({ name: 'after.example', type: 'TXT', value: 'still here' });
  expect(await resolver().resolveTxt('after.example')).toEqual([['still here']]);
});
