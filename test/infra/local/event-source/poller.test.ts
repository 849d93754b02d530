import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliverBatch } from '../../../../infra/local/event-source/batch-delivery.ts';
import { createFileCheckpointStore } from '../../../../infra/local/event-source/checkpoints.ts';
import type { EncodedKinesisRecord, StreamSource } from '../../../../infra/local/event-source/kinesis-source.ts';
import { startKinesisEventSource } from '../../../../infra/local/event-source/poller.ts';

const records = (count: number): EncodedKinesisRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    sequenceNumber: String(index),
    partitionKey: 'key',
    data: 'AA==',
    arrivedAtMs: 0,
  }));

const numberOf = ({ sequenceNumber }: { sequenceNumber: string }) => Number(sequenceNumber);

/** How a function fares with one batch: all well, a report of the record at an index, an error, or nonsense. */
const outcome = fc.oneof(
  fc.constant({ kind: 'well' } as const),
  fc.record({ kind: fc.constant('report' as const), at: fc.nat(30) }),
  fc.constant({ kind: 'throw' } as const),
  fc.constant({ kind: 'nonsense' } as const),
);

test('however a function fails, its position moves only over processed records, in order, to the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 20 }), fc.array(outcome, { maxLength: 30 }), async (count, outcomes) => {
      const attempted: number[] = [];
      let position = -1;
      await deliverBatch(records(count), {
        pause: async () => undefined,
        report: () => undefined,
        processed: async (record) => {
          expect(numberOf(record)).toBeGreaterThan(position);
          position = numberOf(record);
          expect(position).toBeLessThanOrEqual(Math.max(...attempted));
        },
        invoke: async (batch) => {
          // Nothing is skipped: a batch begins right behind the position.
          expect(batch.map(numberOf)[0]).toBe(position + 1);
          const next = outcomes.shift() ?? { kind: 'well' as const };
          if (next.kind === 'throw') throw new Error('broken');
          attempted.push(...batch.map(numberOf));
          if (next.kind === 'nonsense') return { batchItemFailures: [{ itemIdentifier: 'unknown' }] };
          if (next.kind === 'well') return { batchItemFailures: [] };
          return { batchItemFailures: [{ itemIdentifier: batch[next.at % batch.length]?.sequenceNumber }] };
        },
      });
      expect(position).toBe(count - 1);
    }),
  );
});

test('a record that breaks the function is isolated by halving and tried alone until it succeeds', async () => {
  const batches: number[][] = [];
  let refusals = 0;
  await deliverBatch(records(8), {
    pause: async () => undefined,
    report: () => undefined,
    processed: async () => undefined,
    invoke: async (batch) => {
      batches.push(batch.map(numberOf));
      if (batch.map(numberOf).includes(5) && refusals++ < 5) throw new Error('broken');
      return undefined;
    },
  });
  expect(batches).toEqual([[0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7], [4, 5], [4], [5], [5], [5], [6, 7]]);
});

test('ending gives up while a record is failing, without moving the position', async () => {
  const moved: unknown[] = [];
  const ending = deliverBatch(records(1), {
    pause: () => Promise.reject(new Error('ending')),
    report: () => undefined,
    processed: async (record) => void moved.push(record),
    invoke: () => Promise.reject(new Error('broken')),
  });
  await expect(ending).rejects.toThrow('ending');
  expect(moved).toEqual([]);
});

/** A stream of one shard in memory whose iterators name the next sequence number and go stale when told to. */
function memoryStream(all: EncodedKinesisRecord[]) {
  const iterators: (string | undefined)[] = [];
  let stale = false;
  const source: StreamSource = {
    shards: async () => ['shard-0'],
    iterator: async (_shard, after) => {
      iterators.push(after);
      stale = false;
      return String(after === undefined ? 0 : Number(after) + 1);
    },
    read: async (iterator, recordsMax) => {
      if (stale) throw new Error('ExpiredIteratorException');
      const read = all.slice(Number(iterator), Number(iterator) + recordsMax);
      return { records: read, next: String(Number(iterator) + read.length) };
    },
  };
  return { source, iterators, expire: () => (stale = true) };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('the poller stores its position after success only, and goes on behind it, also with an expired iterator', async () => {
  const all = records(25);
  const { source, iterators, expire } = memoryStream(all);
  const stored = new Map<string, string>([['shard-0', '4']]);
  const seen: string[] = [];
  let failing = true;
  const poller = await startKinesisEventSource({
    source,
    batchRecords: 10,
    reportError: () => undefined,
    checkpoints: { get: (shard) => stored.get(shard), set: async (shard, at) => void stored.set(shard, at) },
    invoke: async (event) => {
      const { Records } = event as { Records: { kinesis: { sequenceNumber: string }; eventID: string }[] };
      if (failing) {
        failing = false;
        expect(stored.get('shard-0')).toBe('4');
        throw new Error('broken');
      }
      seen.push(...Records.map(({ kinesis }) => kinesis.sequenceNumber));
    },
  });
  await until(() => stored.get('shard-0') === '24');
  expire();
  all.push({ sequenceNumber: '25', partitionKey: 'key', data: 'AA==', arrivedAtMs: 0 });
  await until(() => stored.get('shard-0') === '25');
  await poller.stop();
  expect(seen).toEqual(Array.from({ length: 21 }, (_, index) => String(index + 5)));
  expect(iterators).toEqual(['4', '24']);
});

/** As long as the service's. */
const sequenceNumber = (value: number): string => String(value).padStart(56, '4');

test('positions survive the process, a shard by itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-positions-'));
  const positions = createFileCheckpointStore(join(folder, 'positions'));
  await positions.set('shard-0', sequenceNumber(4));
  await positions.set('shard-0', sequenceNumber(5));
  await positions.set('shard-1', sequenceNumber(9));
  const restarted = createFileCheckpointStore(join(folder, 'positions'));
  expect(['shard-0', 'shard-1', 'shard-2'].map(restarted.get)).toEqual([
    sequenceNumber(5),
    sequenceNumber(9),
    undefined,
  ]);
  await rm(folder, { recursive: true });
});

test.each(['', 'zz', '{}', '12'])(
  'a position that says %j is none: the shard is read from its beginning',
  async (damaged) => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-positions-'));
    await writeFile(join(folder, 'shard-0'), damaged);
    expect(createFileCheckpointStore(folder).get('shard-0')).toBeUndefined();
    await rm(folder, { recursive: true });
  },
);
