import { randomUUID } from 'node:crypto';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { createS3LakeWriter } from '../../../../infra/local/firehose/s3-writer.ts';
import { createParquetEventWriter } from '../../../../infra/local/firehose/write-parquet.ts';
import { BUCKETS } from '../../../../infra/local/runtime/environment.ts';
import { sessionKey } from '../../../../shared/analytics/events/session-key.ts';
import { createDynamoManifestRepository } from '../../../../shared/analytics/facts/aws/dynamo-manifests.ts';
import { createDynamoTombstoneRepository } from '../../../../shared/analytics/facts/aws/dynamo-tombstones.ts';
import { s3Client } from '../../../../shared/platform/aws/s3-client.ts';
import { aStoredEvent } from '../../../support/analytics/lake.ts';
import { useDeployedFunctions } from '../../../support/deployed/use-functions.ts';

const READS = ['analytics/overview', 'analytics/timeseries', 'analytics/acquisition'] as const;
const HOUR_MS = 3_600_000;

const functions = useDeployedFunctions(
  ...READS,
  'funnel/ingest-analytics',
  'background/aggregate-events',
  'background/compact-facts',
  'background/compact-base',
  'background/sweep-facts',
  'background/erase-late',
);

const keysIn = async (Bucket: string) =>
  ((await s3Client().send(new ListObjectsV2Command({ Bucket }))).Contents ?? []).map(({ Key = '' }) => Key);

async function ingested(): Promise<void> {
  const anEvent = () => ({ eventId: randomUUID(), sessionId: randomUUID(), timestamp: new Date().toISOString() });
  const request = { path: { id: functions.demo().funnel.id }, body: { events: [anEvent(), anEvent()] } };
  expect(await functions.call('funnel/ingest-analytics', request)).toMatchObject({ status: 200 });
}

// This test is the first, because the S3 stand-in rejects signed requests after other tests have moved the clock ahead
// and back.
test('erase-late replaces the lake file that contains late events of an erased session', async () => {
  const writer = createParquetEventWriter(createS3LakeWriter());
  const [erased, other] = [aStoredEvent({ session_id: 'a' }), aStoredEvent({ session_id: 'b' })];
  await writer.write(new Date().toISOString().slice(0, 10), [erased, other]);
  const before = await keysIn(BUCKETS.lake);
  await createDynamoTombstoneRepository().addSessions(erased.funnel_id, [
    sessionKey(erased.funnel_id, erased.session_id),
  ]);
  await functions.run('background/erase-late');
  const after = await keysIn(BUCKETS.lake);
  expect(after).toHaveLength(before.length);
  expect(after).not.toEqual(before);
});

test('aggregate-events processes all records and stores an unreadable record as a dead letter', async () => {
  await ingested();
  const { Records } = await functions.world().streamed();
  const [record] = Records;
  if (record === undefined) throw new Error('The stream is empty.');
  const unreadable = { ...record, kinesis: { ...record.kinesis, sequenceNumber: '9', data: 'bm9uc2Vuc2U=' } };
  const result = await functions.run('background/aggregate-events', { Records: [...Records, unreadable] });
  expect(result).toEqual({ batchItemFailures: [] });
  expect(await keysIn(BUCKETS.deadLetters)).toHaveLength(1);
});

// The operations share a cache in this process. An operation reads a file from S3 only if the file is not in the cache,
// so each operation needs a new fact file.
test.each(READS)('200: %s reads fact files', async (read) => {
  const { funnel, organizations, tokens } = functions.demo();
  await ingested();
  await functions.run('background/aggregate-events', await functions.world().streamed());
  const before = await keysIn(BUCKETS.facts);
  functions.later(120_000);
  await functions.run('background/compact-facts');
  expect((await keysIn(BUCKETS.facts)).length).toBe(before.length + 1);
  const request = {
    path: { orgId: organizations.a.id, funnelId: funnel.id },
    headers: functions.bearer(tokens.memberA),
  };
  expect(await functions.call(read, request)).toMatchObject({ status: 200 });
});

test('compact-base retires a fact file, and sweep-facts removes the retired file', async () => {
  const { id } = functions.demo().funnel;
  const [old] = await keysIn(BUCKETS.facts);
  functions.later(48 * HOUR_MS);
  await functions.run('background/compact-base');
  // Marks the retired files as an erasure does, so that all versions of the files are removed.
  const read = await createDynamoManifestRepository().read(id);
  const retired = read.retired.map((file) => ({ ...file, purgeVersions: true as const }));
  expect(retired).not.toEqual([]);
  await createDynamoManifestRepository().replaceIfUnchanged(id, read, { ...read, retired });
  functions.later(3 * HOUR_MS);
  await functions.run('background/sweep-facts');
  expect(await keysIn(BUCKETS.facts)).not.toContain(old);
});
