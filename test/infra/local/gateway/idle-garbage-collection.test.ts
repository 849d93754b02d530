import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { collectGarbageWhenIdle } from '../../../../infra/local/gateway/idle-garbage-collection.ts';

const MB = 1_024 * 1_024;
const MORE_THAN_IDLE_MS = 100;

const heap = { megabytes: 10, collected: 0, bytes: () => heap.megabytes * MB, collect: () => void heap.collected++ };
let answer: () => void = () => expect.unreachable();
const server = createServer((_, response) => {
  answer = () => response.end();
});
collectGarbageWhenIdle(server, heap);

afterEach(() => server.closeAllConnections());

async function call(): Promise<void> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  const asked = once(server, 'request');
  const answered = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await asked;
  await sleep(MORE_THAN_IDLE_MS);
  expect(heap.collected).toBe(0);
  answer();
  await answered;
}

test('if the heap has grown, garbage is collected once between requests, and never during a request', async () => {
  await call();
  await sleep(MORE_THAN_IDLE_MS);
  expect(heap.collected).toBe(0);

  heap.megabytes = 100;
  await call();
  await expect.poll(() => heap.collected).toBe(1);
  await sleep(MORE_THAN_IDLE_MS);
  expect(heap.collected).toBe(1);
});
