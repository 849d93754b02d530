import { setTimeout as delay } from 'node:timers/promises';
import type { ReportError } from '../common/output.ts';
import type { Writes } from '../emulators/writes.ts';
import { deliverBatch } from './batch-delivery.ts';
import type { CheckpointStore } from './checkpoints.ts';
import { toKinesisEvent } from './kinesis-event.ts';
import type { EncodedKinesisRecord, StreamSource } from './kinesis-source.ts';

export type EventSourcePorts = {
  source: StreamSource;
  checkpoints: CheckpointStore;
  invoke(event: unknown): Promise<unknown>;
  batchRecords: number;
  writes: Writes;
  reportError: ReportError;
};

export type KinesisEventSource = {
  /** Stops reading, and waits until records that were read are processed. Does not retry a batch that fails then. */
  stop(): Promise<void>;
};

/** After an empty read, the poller waits for this time, and then for the next write, at most `IDLE_MS` longer. */
const POLL_INTERVAL_MS = 200;
const IDLE_MS = 2_000;
const ERROR_DELAY_MS = 1_000;
const RETRY_DELAY_MS = { first: 200, max: 10_000 };
/** Maximum Base64 characters per batch. Lambda limits the payload, which also contains other fields, to 6 MB. */
const BATCH_CHARACTERS_MAX = 5_500_000;

/** The stand-in for Lambda's event source mapping: passes the records of each shard to the function, in order. */
export async function startKinesisEventSource(ports: EventSourcePorts): Promise<KinesisEventSource> {
  const stopping = new AbortController();
  const shards = await ports.source.listShards();
  const loops = shards.map((shard) => pollShard(shard, ports, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.allSettled(loops);
    },
  };
}

async function pollShard(shard: string, ports: EventSourcePorts, stopping: AbortSignal): Promise<void> {
  const { source, checkpoints, batchRecords, writes, reportError } = ports;
  while (!stopping.aborted) {
    try {
      const writesBefore = writes.count();
      const records = await source.read(shard, checkpoints.get(shard), batchRecords);
      for (const batch of splitIntoBatches(records)) await processBatch(shard, batch, ports, stopping);
      if (records.length === 0) {
        await delay(POLL_INTERVAL_MS, undefined, { signal: stopping });
        await writes.waitForNext(writesBefore, IDLE_MS, stopping);
      }
    } catch (error) {
      if (stopping.aborted) return;
      reportError(`The event source mapping failed for ${shard}. Retrying`, error);
      await delay(ERROR_DELAY_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

async function processBatch(
  shard: string,
  batch: EncodedKinesisRecord[],
  { invoke, checkpoints, reportError }: EventSourcePorts,
  stopping: AbortSignal,
): Promise<void> {
  const retryDelayMs = (failures: number) => Math.min(RETRY_DELAY_MS.first * 2 ** (failures - 1), RETRY_DELAY_MS.max);
  await deliverBatch(batch, {
    invoke: (records) => invoke(toKinesisEvent(shard, records)),
    reportError,
    saveCheckpoint: ({ sequenceNumber }) => checkpoints.set(shard, sequenceNumber),
    waitBeforeRetry: (failures) => delay(retryDelayMs(failures), undefined, { signal: stopping }),
  });
}

/** Splits records so that each batch fits into an invocation. */
function splitIntoBatches(records: readonly EncodedKinesisRecord[]): EncodedKinesisRecord[][] {
  const batches: EncodedKinesisRecord[][] = [];
  let characters = 0;
  for (const record of records) {
    characters += record.data.length;
    const current = batches.at(-1);
    if (current !== undefined && characters <= BATCH_CHARACTERS_MAX) current.push(record);
    else {
      batches.push([record]);
      characters = record.data.length;
    }
  }
  return batches;
}
