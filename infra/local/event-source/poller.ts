import { setTimeout as delay } from 'node:timers/promises';
import type { ReportError } from '../common/output.ts';
import { deliverBatch } from './batch-delivery.ts';
import type { CheckpointStore } from './checkpoints.ts';
import { toKinesisEvent } from './kinesis-event.ts';
import type { EncodedKinesisRecord, StreamSource } from './kinesis-source.ts';

export type EventSourcePorts = {
  source: StreamSource;
  checkpoints: CheckpointStore;
  /** The consuming function. */
  invoke(event: unknown): Promise<unknown>;
  batchRecords: number;
  reportError: ReportError;
};

export type KinesisEventSource = { /** Lets the batch under way end. */ stop(): Promise<void> };

const POLL_MS = 200;
const TROUBLE_MS = 1_000;
const BACKOFF_MS = { first: 200, max: 10_000 };
/** They expire after 5 minutes. */
const ITERATOR_MS = 4 * 60_000;
/** An invocation takes 6 MB, of which base64 and the event's frame need a part. */
const BATCH_CHARACTERS_MAX = 5_500_000;

/** The laptop's event source: reads every shard in order and hands its records to the consuming function. */
export async function startKinesisEventSource(ports: EventSourcePorts): Promise<KinesisEventSource> {
  const ending = new AbortController();
  const shards = await ports.source.shards();
  const loops = shards.map((shard) => pollShard(shard, ports, ending.signal));
  return {
    stop: async () => {
      ending.abort();
      await Promise.allSettled(loops);
    },
  };
}

type Cursor = { iterator: string; renewAt: number };

async function pollShard(shard: string, ports: EventSourcePorts, ending: AbortSignal): Promise<void> {
  let cursor: Cursor | undefined;
  while (!ending.aborted) {
    try {
      if (cursor === undefined || Date.now() > cursor.renewAt) cursor = await cursorAt(shard, ports);
      const { records, next } = await ports.source.read(cursor.iterator, ports.batchRecords);
      for (const batch of batchesOf(records)) await processBatch(shard, batch, ports, ending);
      // An empty answer's next iterator starts at the present, past a record that is just being written: keep the old one.
      if (records.length > 0) cursor = next === undefined ? undefined : { iterator: next, renewAt: renewal() };
      else await delay(POLL_MS, undefined, { signal: ending });
    } catch (error) {
      cursor = undefined;
      if (ending.aborted) return;
      ports.reportError(`Reading ${shard} failed`, error);
      await delay(TROUBLE_MS, undefined, { signal: ending }).catch(() => undefined);
    }
  }
}

const renewal = () => Date.now() + ITERATOR_MS;

async function cursorAt(shard: string, { source, checkpoints: positions }: EventSourcePorts): Promise<Cursor> {
  return { iterator: await source.iterator(shard, positions.get(shard)), renewAt: renewal() };
}

async function processBatch(
  shard: string,
  batch: EncodedKinesisRecord[],
  ports: EventSourcePorts,
  ending: AbortSignal,
) {
  await deliverBatch(batch, {
    invoke: (records) => ports.invoke(toKinesisEvent(shard, records)),
    report: ports.reportError,
    processed: ({ sequenceNumber }) => ports.checkpoints.set(shard, sequenceNumber),
    pause: (failures) =>
      delay(Math.min(BACKOFF_MS.first * 2 ** (failures - 1), BACKOFF_MS.max), undefined, { signal: ending }),
  });
}

/** Splits records so that each batch fits an invocation. */
function batchesOf(records: readonly EncodedKinesisRecord[]): EncodedKinesisRecord[][] {
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
