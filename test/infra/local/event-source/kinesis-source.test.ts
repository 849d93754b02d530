import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { KinesisClient, PutRecordCommand } from '@aws-sdk/client-kinesis';
import kinesalite from 'kinesalite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKinesisSource } from '../../../../infra/local/event-source/kinesis-source.ts';
import { STREAM } from '../../../../infra/local/runtime/environment.ts';
import { ensureStream } from '../../../../infra/local/runtime/resource-creation.ts';
import { createHttp1RequestHandler } from '../../../../shared/platform/aws/dynamo-client.ts';

const server = kinesalite({ createStreamMs: 0 });
let endpoint: string;
let startedMs: number;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const requestHandler = createHttp1RequestHandler({ connectionTimeout: 1_000 });
  const kinesis = new KinesisClient({ endpoint, region: 'eu-central-1', credentials, requestHandler });
  await ensureStream(kinesis, { StreamName: STREAM, ShardCount: 1 });
  startedMs = Date.now();
  for (const data of ['first', 'second']) {
    await kinesis.send(
      new PutRecordCommand({ StreamName: STREAM, PartitionKey: `of ${data}`, Data: Buffer.from(data) }),
    );
  }
});
afterAll(() => server.close());

test('a shard is read from its oldest record, or after a given record', async () => {
  const source = createKinesisSource(endpoint);
  const [shard = '', ...others] = await source.listShards();
  expect(others).toEqual([]);
  const { records } = await source.read(await source.getIterator(shard, undefined), 10);
  expect(records).toMatchObject(
    ['first', 'second'].map((data) => ({ partitionKey: `of ${data}`, data: Buffer.from(data).toString('base64') })),
  );
  const [first, second] = records;
  for (const { arrivedAtMs } of records) {
    expect(arrivedAtMs).toSatisfy(Number.isInteger);
    expect(Math.abs(arrivedAtMs - startedMs)).toBeLessThan(60_000);
  }
  const rest = await source.read(await source.getIterator(shard, first?.sequenceNumber), 10);
  expect(rest.records).toEqual([second]);
  const end = await source.read(rest.next ?? '', 10);
  expect(end.records).toEqual([]);
});

test('a rejected request throws an error with the operation and the reason', async () => {
  const source = createKinesisSource(endpoint);
  await expect(source.read('invalid', 10)).rejects.toThrow(/^Kinesis responded to GetRecords with 400: .*iterator/i);
});
