import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StreamSource } from '../../../../infra/local/event-source/kinesis-source.ts';
import { startFirehose } from '../../../../infra/local/firehose/consumer.ts';
import type { ReceivedRecord } from '../../../../shared/analytics/ingest/stream-records.ts';
import { constantWrites } from '../../../support/local/constant-writes.ts';

const SHARDS = ['shard-0', 'shard-1'];
const FAST = { pollIntervalMs: 1, bufferAgeMsMax: 2, errorDelayMs: 1 };
const numbered = (count: number) => Array.from({ length: count }, (_, at) => String(at).padStart(21, '0'));

/** A stream with the given number of records in each shard. */
function aStream(counts: readonly number[], bytes = 10): StreamSource & { reads: number } {
  const data = Buffer.alloc(bytes).toString('base64');
  const stream = {
    reads: 0,
    listShards: async () => SHARDS,
    read: async (shard: string, after: string | undefined, max: number) => {
      stream.reads++;
      const from = after === undefined ? 0 : Number(after) + 1;
      return numbered(counts[SHARDS.indexOf(shard)] ?? 0)
        .slice(from, from + max)
        .map((sequenceNumber) => ({ sequenceNumber, partitionKey: '', data, arrivedAtMs: 0 }));
    },
  };
  return stream;
}

const NOTHING_UNREADABLE = { events: 0, unreadable: [] };

/** The checkpoints and files, which survive a kill. */
function aDisk() {
  const checkpoints = new Map<string, string>();
  const files: ReceivedRecord[][] = [];
  const stored = () => new Set(files.flat().map(({ shard, sequenceNumber }) => `${shard}/${sequenceNumber}`));
  return {
    checkpoints,
    files,
    stored,
    deliver: async (records: readonly ReceivedRecord[]) => {
      files.push([...records]);
      return NOTHING_UNREADABLE;
    },
    store: {
      get: (shard: string) => checkpoints.get(shard),
      set: async (shard: string, sequenceNumber: string) => {
        // The record of the checkpoint and all earlier records must be in files.
        for (const before of numbered(Number(sequenceNumber) + 1)) expect(stored()).toContain(`${shard}/${before}`);
        checkpoints.set(shard, sequenceNumber);
      },
    },
  };
}

async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !holds(); await delay(1)) {
    if (Date.now() > deadline) throw new Error('The condition was not met in time.');
  }
}

test('despite kills and failures, a checkpoint covers a record only after the record is in a file', async () => {
  const fault = fc.constantFrom(
    'none',
    'read fails',
    'delivery fails before',
    'delivery fails after',
    'checkpoint fails',
    'killed',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 })),
      fc.array(fault, { maxLength: 12 }),
      async (counts, faults) => {
        const disk = aDisk();
        const stream = aStream(counts);
        const total = counts[0] + counts[1];
        const next = () => faults.shift() ?? 'none';
        let life = 0;
        let running: ReturnType<typeof startFirehose> | undefined;
        const start = () => {
          const mine = ++life;
          // After a kill, the calls of the killed process never continue.
          const alive = () => (mine === life ? undefined : new Promise<never>(() => undefined));
          running = startFirehose(
            {
              source: {
                ...stream,
                read: async (...args) => {
                  await alive();
                  if (faults[0] === 'read fails') throw new Error(next());
                  return stream.read(...args);
                },
              },
              checkpoints: {
                ...disk.store,
                set: async (shard, sequenceNumber) => {
                  await alive();
                  if (faults[0] === 'checkpoint fails') throw new Error(next());
                  await disk.store.set(shard, sequenceNumber);
                },
              },
              deliver: async (records) => {
                await alive();
                const fate = faults[0] === 'checkpoint fails' || faults[0] === 'read fails' ? 'none' : next();
                if (fate === 'delivery fails before') throw new Error(fate);
                disk.files.push([...records]);
                if (fate === 'delivery fails after') throw new Error(fate);
                if (fate === 'killed') {
                  start();
                  await alive();
                }
                return NOTHING_UNREADABLE;
              },
              writes: constantWrites,
              reportError: () => undefined,
            },
            FAST,
          );
        };
        start();
        await until(() => disk.stored().size === total);
        faults.length = 0;
        await (await running)?.stop();
        expect(disk.stored().size).toBe(total);
      },
    ),
    { numRuns: 100 },
  );
}, 60_000);

test('during a burst, the consumer writes files of 4 to 12 MB', async () => {
  const disk = aDisk();
  const bytes = 500_000;
  const consumer = await startFirehose(
    {
      source: aStream([60, 0], bytes),
      checkpoints: disk.store,
      deliver: disk.deliver,
      writes: constantWrites,
      reportError: () => undefined,
    },
    { ...FAST, bufferAgeMsMax: 60_000 },
  );
  await until(() => disk.files.length >= 3);
  await consumer.stop();
  const sizes = disk.files.slice(0, 3).map((records) => records.reduce((sum, { data }) => sum + data.length, 0));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(4_000_000);
  expect(Math.max(...sizes)).toBeLessThan(4_000_000 + 16 * bytes);
});

/**
 * Delivers 100 records. Each read returns one record. Until the traffic is steady, the consumer writes a file for each
 * record. Then it buffers the records.
 *
 * @returns the number of files before `stop`
 */
async function countFiles(steadyTraffic: { files: number; bufferAgeMsMax: number; pauseMs: number }) {
  const disk = aDisk();
  const stream = aStream([100, 0]);
  const consumer = await startFirehose(
    {
      source: { ...stream, read: (shard, after) => stream.read(shard, after, 1) },
      checkpoints: disk.store,
      deliver: disk.deliver,
      writes: constantWrites,
      reportError: () => undefined,
    },
    { ...FAST, bufferAgeMsMax: 0, steadyTraffic },
  );
  await until(() => stream.reads > 210);
  const before = disk.files.length;
  await consumer.stop();
  expect(disk.files.flat()).toHaveLength(100);
  return before;
}

test('in steady traffic, the consumer buffers records instead of writing a file for each record', async () => {
  expect(await countFiles({ files: 7, bufferAgeMsMax: 60_000, pauseMs: 60_000 })).toBe(7);
  expect(await countFiles({ files: 7, bufferAgeMsMax: 60_000, pauseMs: -1 })).toBe(100);
});

test('after a restart, the consumer continues after its checkpoints', async () => {
  const disk = aDisk();
  const counts = [2, 1];
  for (const total of [3, 5]) {
    const consumer = await startFirehose(
      {
        source: aStream(counts),
        checkpoints: disk.store,
        deliver: disk.deliver,
        writes: constantWrites,
        reportError: () => undefined,
      },
      FAST,
    );
    await until(() => disk.stored().size === total);
    await consumer.stop();
    counts.splice(0, 2, 3, 2);
  }
  expect(disk.files.flat()).toHaveLength(5);
});

test('after an empty read, the consumer waits for a write; a write during the empty read also ends the wait', async () => {
  const stream = aStream([0, 0]);
  const waitedFrom: number[] = [];
  let reportWrite: () => void = () => undefined;
  const consumer = await startFirehose(
    {
      source: stream,
      checkpoints: aDisk().store,
      deliver: async () => NOTHING_UNREADABLE,
      writes: {
        count: () => stream.reads,
        waitForNext: (seen, _ms, stopping) => {
          waitedFrom.push(seen);
          return new Promise((resolve) => {
            reportWrite = resolve;
            stopping.addEventListener('abort', () => resolve());
          });
        },
      },
      reportError: () => undefined,
    },
    FAST,
  );
  await until(() => waitedFrom.length === 1);
  expect(stream.reads).toBe(SHARDS.length);
  reportWrite();
  await until(() => waitedFrom.length === 2);
  await consumer.stop();
  expect(waitedFrom).toEqual([0, SHARDS.length]);
});

test('an invalid record is reported, and the checkpoint advances', async () => {
  const reports: unknown[] = [];
  const disk = aDisk();
  const consumer = await startFirehose(
    {
      source: aStream([2, 0]),
      checkpoints: disk.store,
      deliver: async (records) => {
        disk.files.push([...records]);
        return { events: 1, unreadable: [{ sequenceNumber: '7', reason: 'The record is incomplete.' }] };
      },
      writes: constantWrites,
      reportError: (what, error) => reports.push([what, error]),
    },
    FAST,
  );
  await until(() => disk.checkpoints.size > 0);
  await consumer.stop();
  expect(reports).toEqual([[expect.stringContaining('errors/events/'), new Error('7: The record is incomplete.')]]);
  expect(disk.checkpoints.get('shard-0')).toBe(numbered(2)[1]);
});
