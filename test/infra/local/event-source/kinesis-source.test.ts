import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KinesisClient, PutRecordCommand } from '@aws-sdk/client-kinesis';
import kinesalite from 'kinesalite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKinesisSource } from '../../../../infra/local/event-source/kinesis-source.ts';
import { STREAM } from '../../../../infra/local/runtime/environment.ts';
import { ensureStream } from '../../../../infra/local/runtime/resource-creation.ts';
import { createHttp1RequestHandler } from '../../../../shared/platform/aws/dynamo-client.ts';

const SHARD = 'shardId-000000000000';
const MINUTE_MS = 60_000;
let server: Server;
let endpoint: string;
let put: (data: string) => Promise<string | undefined>;

beforeEach(async () => {
  server = kinesalite({ createStreamMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const requestHandler = createHttp1RequestHandler({ connectionTimeout: 1_000 });
  const kinesis = new KinesisClient({ endpoint, region: 'eu-central-1', credentials, requestHandler });
  await ensureStream(kinesis, { StreamName: STREAM, ShardCount: 1 });
  put = async (data) => {
    const record = { StreamName: STREAM, PartitionKey: `of ${data}`, Data: Buffer.from(data) };
    return (await kinesis.send(new PutRecordCommand(record))).SequenceNumber;
  };
});
afterEach(() => {
  vi.useRealTimers();
  server.close();
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('a shard is read from its oldest record, or after a given record', async () => {
  const startedMs = Date.now();
  for (const data of ['first', 'second']) await put(data);
  const source = createKinesisSource(endpoint);
  expect(await source.listShards()).toEqual([SHARD]);
  const records = await source.read(SHARD, undefined, 10);
  expect(records).toMatchObject(
    ['first', 'second'].map((data) => ({ partitionKey: `of ${data}`, data: base64(data) })),
  );
  const [first, second] = records;
  for (const { arrivedAtMs } of records) {
    expect(arrivedAtMs).toSatisfy(Number.isInteger);
    expect(Math.abs(arrivedAtMs - startedMs)).toBeLessThan(MINUTE_MS);
  }
  expect(await source.read(SHARD, first?.sequenceNumber, 10)).toEqual([second]);
  expect(await source.read(SHARD, second?.sequenceNumber, 10)).toEqual([]);
  expect(await source.read(SHARD, undefined, 1)).toEqual([first]);
});

test('the first record of a shard is read even if it was being written during an empty read', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const startMs = Date.now();
  const source = createKinesisSource(endpoint);
  vi.setSystemTime(startMs + 2_000);
  expect(await source.read(SHARD, undefined, 10)).toEqual([]);
  // The stand-in sets the time of a record before it stores the record.
  vi.setSystemTime(startMs + 1_000);
  await put('first');
  vi.setSystemTime(startMs + 3_000);
  expect(await source.read(SHARD, undefined, 10)).toMatchObject([{ data: base64('first') }]);
});

test('a shard can be read although its iterator has expired since the previous read', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const last = await put('last');
  const source = createKinesisSource(endpoint);
  expect(await source.read(SHARD, last, 10)).toEqual([]);
  vi.setSystemTime(Date.now() + 6 * MINUTE_MS);
  expect(await source.read(SHARD, last, 10)).toEqual([]);
});

test('after a failed read, the shard is read with a new iterator', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const last = await put('last');
  const source = createKinesisSource(endpoint);
  expect(await source.read(SHARD, last, 10)).toEqual([]);
  // The stand-in rejects an iterator from the future.
  vi.setSystemTime(Date.now() - MINUTE_MS);
  await expect(source.read(SHARD, last, 10)).rejects.toThrow(/^Kinesis responded to GetRecords with 400: .*iterator/i);
  expect(await source.read(SHARD, last, 10)).toEqual([]);
});

test('a rejected request throws an error with the operation and the reason', async () => {
  const read = createKinesisSource(endpoint).read('shardId-000000000001', undefined, 10);
  await expect(read).rejects.toThrow(/^Kinesis responded to GetShardIterator with 400: .*does not exist/);
});
