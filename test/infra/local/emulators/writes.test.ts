import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { countWrites, createWriteBroadcast, reportWrites } from '../../../../infra/local/emulators/writes.ts';

/** Longer than a test takes. */
const LONG_MS = 60_000;
const running = () => new AbortController().signal;

test.each([
  ['DynamoDB_20120810.PutItem', 1],
  ['DynamoDB_20120810.UpdateItem', 1],
  ['DynamoDB_20120810.TransactWriteItems', 1],
  ['Kinesis_20131202.PutRecords', 1],
  ['DynamoDB_20120810.Query', 0],
  ['Kinesis_20131202.GetRecords', 0],
])('a request with the target %s causes %i reports of a write', async (target, reports) => {
  const report = vi.fn();
  const server = reportWrites(
    createServer((_, response) => response.end()),
    report,
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    method: 'POST',
    headers: { 'x-amz-target': target },
  });
  await delay(150);
  expect(report).toHaveBeenCalledTimes(reports);
  server.close();
});

test('several writes within the report interval cause only one report', async () => {
  const report = vi.fn();
  const server = reportWrites(
    createServer((_, response) => response.end()),
    report,
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const write = () => fetch(url, { method: 'POST', headers: { 'x-amz-target': 'Kinesis_20131202.PutRecords' } });
  await Promise.all([write(), write(), write()]);
  await delay(150);
  expect(report).toHaveBeenCalledTimes(1);
  server.close();
});

test('a write to Kinesis ends the wait for a write to Kinesis, but not the wait for a write to DynamoDB', async () => {
  const [dynamodb, kinesis] = [countWrites('dynamodb'), countWrites('kinesis')];
  const ended: string[] = [];
  const stopping = new AbortController();
  const waits = [
    dynamodb.waitForNext(0, LONG_MS, stopping.signal).then(() => ended.push('dynamodb')),
    kinesis.waitForNext(0, LONG_MS, stopping.signal).then(() => ended.push('kinesis')),
  ];
  createWriteBroadcast()('kinesis');
  await waits[1];
  expect(ended).toEqual(['kinesis']);
  expect([dynamodb.count(), kinesis.count()]).toEqual([0, 1]);
  stopping.abort();
  await Promise.all(waits);
  expect(ended).toEqual(['kinesis', 'dynamodb']);
});

test('waitForNext ends immediately if the caller has not seen the latest write', async () => {
  const writes = countWrites('dynamodb');
  createWriteBroadcast()('dynamodb');
  await expect.poll(writes.count).toBe(1);
  await writes.waitForNext(0, LONG_MS, running());
});

test('without a write, the wait ends after the given time', async () => {
  const startedMs = performance.now();
  await countWrites('dynamodb').waitForNext(0, 20, running());
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(19);
});
