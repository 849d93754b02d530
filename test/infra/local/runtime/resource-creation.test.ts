import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { PutRecordCommand } from '@aws-sdk/client-kinesis';
import dynalite from 'dynalite';
import kinesalite from 'kinesalite';
import { expect, onTestFinished, test } from 'vitest';
import { ensureStream, ensureTable, tableDefinition } from '../../../../infra/local/runtime/resource-creation.ts';
import { TABLES } from '../../../../infra/stacks/data/tables.ts';
import { kinesisClient } from '../../../../shared/platform/aws/kinesis-client.ts';

const CREATION_MS = 200;

async function listen(server: ReturnType<typeof dynalite> | ReturnType<typeof kinesalite>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  Object.assign(process.env, { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a table accepts requests as soon as ensureTable returns, and a second ensureTable does not fail', async () => {
  const endpoint = await listen(dynalite({ createTableMs: CREATION_MS }));
  const client = new DynamoDBClient({ endpoint });
  const [table] = TABLES;
  if (table === undefined) throw new Error('There are no tables.');
  const definition = tableDefinition(table, 'things');
  await ensureTable(client, definition);
  await ensureTable(client, definition);
  expect((await client.send(new ScanCommand({ TableName: 'things' }))).Items).toEqual([]);
});

test('a stream accepts records as soon as ensureStream returns; a second ensureStream creates nothing', async () => {
  process.env.AWS_ENDPOINT_URL_KINESIS = await listen(kinesalite({ createStreamMs: CREATION_MS }));
  const stream = { StreamName: 'things', ShardCount: 1 };
  const created = [await ensureStream(kinesisClient(), stream), await ensureStream(kinesisClient(), stream)];
  expect(created).toEqual([true, false]);
  const record = { StreamName: 'things', PartitionKey: 'a', Data: Buffer.from('{}') };
  await expect(kinesisClient().send(new PutRecordCommand(record))).resolves.toMatchObject({
    SequenceNumber: expect.anything(),
  });
});
