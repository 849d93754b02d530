import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliverBatch } from '../../../../infra/local/event-source/batch-delivery.ts';
import { createFileCheckpointStore } from '../../../../infra/local/event-source/checkpoints.ts';
import type { EncodedKinesisRecord, StreamSource } from '../../../../infra/local/event-source/kinesis-source.ts';
import { startKinesisEventSource } from '../../../../infra/local/event-source/poller.ts';
import { constantWrites } from '../../../support/local/constant-writes.ts';

const records = (count: number): EncodedKinesisRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    sequenceNumber: String(index),
    partitionKey: 'key',
    data: 'AA==',
    arrivedAtMs: 0,
  }));

const toNumber = ({ sequenceNumber }: { sequenceNumber: string }) => Number(sequenceNumber);

const outcome = fc.oneof(
  fc.constant({ kind: 'success' } as const),
  fc.record({ kind: fc.constant('failure' as const), at: fc.nat(30) }),
  fc.constant({ kind: 'throw' } as const),
  fc.constant({ kind: 'unknown record' } as const),
);

test('despite failures, checkpoints only move forward, cover only processed records, and reach the last record', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 20 }), fc.array(outcome, { maxLength: 30 }), async (count, outcomes) => {
      const attempted: number[] = [];
      let checkpoint = -1;
      await deliverBatch(records(count), {
        waitBeforeRetry: async () => undefined,
        reportError: () => undefined,
        saveCheckpoint: async (record) => {
          expect(toNumber(record)).toBeGreaterThan(checkpoint);
          checkpoint = toNumber(record);
          expect(checkpoint).toBeLessThanOrEqual(Math.max(...attempted));
        },
        invoke: async (batch) => {
          // A batch starts right after the checkpoint, so no record is skipped.
          expect(batch.map(toNumber)[0]).toBe(checkpoint + 1);
          const next = outcomes.shift() ?? { kind: 'success' as const };
          if (next.kind === 'throw') throw new Error('broken');
          attempted.push(...batch.map(toNumber));
          if (next.kind === 'unknown record') return { batchItemFailures: [{ itemIdentifier: 'unknown' }] };
          if (next.kind === 'success') return { batchItemFailures: [] };
          return { batchItemFailures: [{ itemIdentifier: batch[next.at % batch.length]?.sequenceNumber }] };
        },
      });
      expect(checkpoint).toBe(count - 1);
    }),
  );
});

test('a failing record is isolated by bisection and retried alone until it succeeds', async () => {
  const batches: number[][] = [];
  let failures = 0;
  await deliverBatch(records(8), {
    waitBeforeRetry: async () => undefined,
    reportError: () => undefined,
    saveCheckpoint: async () => undefined,
    invoke: async (batch) => {
      batches.push(batch.map(toNumber));
      if (batch.map(toNumber).includes(5) && failures++ < 5) throw new Error('broken');
      return undefined;
    },
  });
  expect(batches).toEqual([[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7], [4, 5], [4], [5], [5], [5], [6, 7]]);
});

test('if the wait before a retry is aborted, the delivery ends without saving a checkpoint', async () => {
  const saved: unknown[] = [];
  const delivery = deliverBatch(records(1), {
    waitBeforeRetry: () => Promise.reject(new Error('stopping')),
    reportError: () => undefined,
    saveCheckpoint: async (record) => void saved.push(record),
    invoke: () => Promise.reject(new Error('broken')),
  });
  await expect(delivery).rejects.toThrow('stopping');
  expect(saved).toEqual([]);
});

/** An in-memory stream with one shard. After a call of `breakNextRead`, one read fails. */
function memoryStream(all: EncodedKinesisRecord[]) {
  let isBroken = false;
  const source: StreamSource = {
    listShards: async () => ['shard-0'],
    read: async (_shard, after, recordsMax) => {
      // Let timers run, so that a poller that always reads the same records fails the test instead of blocking it.
      await delay(1);
      if (isBroken) {
        isBroken = false;
        throw new Error('broken');
      }
      const from = after === undefined ? 0 : Number(after) + 1;
      return all.slice(from, from + recordsMax);
    },
  };
  return { source, breakNextRead: () => (isBroken = true) };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(10);
}

test('a checkpoint is saved only after success; after a failed read, the poller continues after the checkpoint', async () => {
  const all = records(25);
  const { source, breakNextRead } = memoryStream(all);
  const stored = new Map<string, string>([['shard-0', '4']]);
  const seen: string[] = [];
  let isFailing = true;
  const poller = await startKinesisEventSource({
    source,
    batchRecords: 10,
    writes: constantWrites,
    reportError: () => undefined,
    checkpoints: { get: (shard) => stored.get(shard), set: async (shard, at) => void stored.set(shard, at) },
    invoke: async (event) => {
      const { Records } = event as { Records: { kinesis: { sequenceNumber: string }; eventID: string }[] };
      if (isFailing) {
        isFailing = false;
        expect(stored.get('shard-0')).toBe('4');
        throw new Error('broken');
      }
      seen.push(...Records.map(({ kinesis }) => kinesis.sequenceNumber));
    },
  });
  await until(() => stored.get('shard-0') === '24');
  breakNextRead();
  all.push({ sequenceNumber: '25', partitionKey: 'key', data: 'AA==', arrivedAtMs: 0 });
  await until(() => stored.get('shard-0') === '25');
  await poller.stop();
  expect(seen).toEqual(Array.from({ length: 21 }, (_, index) => String(index + 5)));
});

test('after an empty read, the poller waits for a write, unless a write happened during this read', async () => {
  const { source } = memoryStream([]);
  let reads = 0;
  const waited: [number, number][] = [];
  const poller = await startKinesisEventSource({
    source: {
      ...source,
      read: (...args) => {
        reads++;
        return source.read(...args);
      },
    },
    writes: { count: () => reads, waitForNext: async (seen) => void waited.push([seen, reads]) },
    batchRecords: 10,
    reportError: () => undefined,
    checkpoints: { get: () => undefined, set: async () => undefined },
    invoke: async () => undefined,
  });
  await until(() => waited.length === 2);
  await poller.stop();
  // `seen` is counted before the read. If a write happens during the read, the poller waits for no other write.
  expect(waited).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

/** A sequence number that is as long as in Kinesis. */
const sequenceNumber = (value: number): string => String(value).padStart(56, '4');

test('the checkpoint of each shard survives a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-checkpoints-'));
  const checkpoints = createFileCheckpointStore(join(folder, 'checkpoints'));
  await checkpoints.set('shard-0', sequenceNumber(4));
  await checkpoints.set('shard-0', sequenceNumber(5));
  await checkpoints.set('shard-1', sequenceNumber(9));
  const restarted = createFileCheckpointStore(join(folder, 'checkpoints'));
  expect(['shard-0', 'shard-1', 'shard-2'].map(restarted.get)).toEqual([
    sequenceNumber(5),
    sequenceNumber(9),
    undefined,
  ]);
  await rm(folder, { recursive: true });
});

test.each(['', 'zz', '{}', '12'])('a damaged checkpoint file with the content %j is ignored', async (damaged) => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-checkpoints-'));
  await writeFile(join(folder, 'shard-0'), damaged);
  expect(createFileCheckpointStore(folder).get('shard-0')).toBeUndefined();
  await rm(folder, { recursive: true });
});
