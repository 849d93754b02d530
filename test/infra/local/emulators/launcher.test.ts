import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { KinesisClient, PutRecordCommand } from '@aws-sdk/client-kinesis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulators, startEmulators } from '../../../../infra/local/emulators/launcher.ts';
import { countWrites } from '../../../../infra/local/emulators/writes.ts';
import { ensureStream, ensureTable } from '../../../../infra/local/runtime/resource-creation.ts';
import { loadOrCreateSecrets } from '../../../../infra/local/runtime/secrets.ts';
import { openStateFolder } from '../../../../infra/local/runtime/state-folder.ts';

let folder: string;
let emulators: Emulators;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-emulators-'));
  const { issuerKey } = loadOrCreateSecrets(await openStateFolder(folder, { reset: false }));
  const voice = { webhookUrl: 'http://127.0.0.1:9/', webhookSecret: 'unused', apiKey: 'unused' };
  emulators = await startEmulators({ folder, buckets: [], issuerKey, secrets: {}, voice, edgeStepMs: 0 });
});
afterAll(async () => {
  await emulators?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('the process that starts the emulators counts the writes to DynamoDB and Kinesis, but not the reads', async () => {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const configOf = (port: number) => ({ endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', credentials });
  const [dynamoWrites, kinesisWrites] = [countWrites('dynamodb'), countWrites('kinesis')];
  const counts = () => [dynamoWrites.count(), kinesisWrites.count()];

  const dynamo = new DynamoDBClient(configOf(emulators.endpoints.dynamodb));
  await ensureTable(dynamo, {
    TableName: 'things',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  await dynamo.send(new ScanCommand({ TableName: 'things' }));
  expect(counts()).toEqual([0, 0]);
  await dynamo.send(new PutItemCommand({ TableName: 'things', Item: { pk: { S: 'one' } } }));
  await expect.poll(counts).toEqual([1, 0]);

  // Uses the request handler of the DynamoDB client, because the default request handler of the Kinesis client uses
  // HTTP/2, which the stand-in does not support.
  const { requestHandler } = dynamo.config;
  const kinesis = new KinesisClient({ ...configOf(emulators.endpoints.kinesis), requestHandler });
  await ensureStream(kinesis, { StreamName: 'events', ShardCount: 1 });
  await kinesis.send(new PutRecordCommand({ StreamName: 'events', PartitionKey: 'a', Data: Buffer.from('{}') }));
  await expect.poll(counts).toEqual([1, 1]);
});
