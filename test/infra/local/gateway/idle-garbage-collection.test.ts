import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectGarbageWhenIdle } from '../../../../infra/local/gateway/idle-garbage-collection.ts';

const MB = 1_024 * 1_024;
const MORE_THAN_IDLE_MS = 100;

function createHeap() {
  const created = {
    megabytes: 10,
    collections: 0,
    bytes: () => created.megabytes * MB,
    collect: () => void created.collections++,
  };
  return created;
}

let heap = createHeap();
let respond: () => void = () => expect.unreachable();
let server = createServer();

beforeEach(async () => {
  heap = createHeap();
  server = createServer((_, response) => {
    respond = () => response.end();
  });
  collectGarbageWhenIdle(server, heap);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a request after which the heap has this size, and waits until the server is idle. */
async function requestThatLeaves(megabytes: number): Promise<void> {
  const before = heap.collections;
  heap.megabytes = megabytes;
  const requested = once(server, 'request');
  const responded = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await requested;
  await sleep(MORE_THAN_IDLE_MS);
  expect(heap.collections).toBe(before);
  respond();
  await responded;
  await sleep(MORE_THAN_IDLE_MS);
}

test('if the heap has grown by 48 MB, garbage is collected once between requests, and never during a request', async () => {
  // The first request begins before the server has been idle for long enough, so the idle
  // timer expires during the request.
  await requestThatLeaves(100);
  await expect.poll(() => heap.collections).toBe(1);
  await requestThatLeaves(110);
  expect(heap.collections).toBe(1);
});

test('if the heap shrinks after a collection, the next growth is measured from the smaller size', async () => {
  await requestThatLeaves(100);
  await expect.poll(() => heap.collections).toBe(1);
  await requestThatLeaves(50);
  expect(heap.collections).toBe(1);
  await requestThatLeaves(110);
  await expect.poll(() => heap.collections).toBe(2);
});
