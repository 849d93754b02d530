import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { GetRecordsCommand, GetShardIteratorCommand, KinesisClient } from '@aws-sdk/client-kinesis';
import kinesalite from 'kinesalite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureStream } from '../../../../../infra/local/runtime/resource-creation.ts';
import { createKinesisEventStreamWriter } from '../../../../../shared/analytics/ingest/aws/kinesis-event-stream.ts';
import { requestIdFromPartitionKey } from '../../../../../shared/analytics/ingest/stream-records.ts';
import { kinesisClient } from '../../../../../shared/platform/aws/kinesis-client.ts';

const StreamName = 'events';
const server = kinesalite({ createStreamMs: 0 });
const stream = createKinesisEventStreamWriter();

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_KINESIS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    EVENT_STREAM: StreamName,
  });
  await ensureStream(kinesisClient(), { StreamName, ShardCount: 1 });
});
afterAll(() => void server.close());

async function stored() {
  const ShardId = 'shardId-000000000000';
  const from = { StreamName, ShardId, ShardIteratorType: 'TRIM_HORIZON' as const };
  const { ShardIterator } = await kinesisClient().send(new GetShardIteratorCommand(from));
  return (await kinesisClient().send(new GetRecordsCommand({ ShardIterator }))).Records ?? [];
}

test('appended records are on the stream byte for byte, with different partition keys', async () => {
  const records = ['{"a":"ü"}\n', 'x'.repeat(900_000)].map((text) => Buffer.from(text));
  for (const record of records) await stream.append(record);
  const found = await stored();
  expect(found.map(({ Data }) => Buffer.from(Data ?? []))).toEqual(records);
  expect(new Set(found.map(({ PartitionKey }) => PartitionKey)).size).toBe(2);
});

test('records with the same request id have different partition keys, and each key contains the id', async () => {
  const before = (await stored()).length;
  for (const text of ['a', 'b']) await stream.append(Buffer.from(text), 'JKJaXmPLvHcESHA=');
  const keys = (await stored()).slice(before).map(({ PartitionKey = '' }) => PartitionKey);
  expect(new Set(keys).size).toBe(2);
  expect(keys.map(requestIdFromPartitionKey)).toEqual(['JKJaXmPLvHcESHA=', 'JKJaXmPLvHcESHA=']);
});

test('the Kinesis client uses HTTP/1.1, because the stand-in supports no other version', () => {
  expect(kinesisClient()).toBeInstanceOf(KinesisClient);
  expect(kinesisClient().config.requestHandler.metadata).toMatchObject({ handlerProtocol: 'http/1.1' });
});

test('appending to a missing stream throws', async () => {
  process.env.EVENT_STREAM = 'another';
  await expect(stream.append(Buffer.from('x'))).rejects.toThrow();
  process.env.EVENT_STREAM = StreamName;
});
