import { setTimeout as delay } from 'node:timers/promises';
import type { StreamRecord } from '../../../shared/analytics/ingest/dead-letters.ts';
import type { ReportError } from '../common/output.ts';
import type { CheckpointStore } from '../event-source/checkpoints.ts';
import type { StreamSource } from '../event-source/kinesis-source.ts';
import type { DeliveryResult } from './deliver-records.ts';

export type FirehosePorts = {
  source: StreamSource;
  checkpoints: CheckpointStore;
  /** Durable once it resolves. */
  deliver(records: readonly StreamRecord[]): Promise<DeliveryResult>;
  reportError: ReportError;
};

export type Firehose = { /** Writes what waits. */ stop(): Promise<void> };

/** A file is written when so many bytes wait, or the oldest waits so long. */
const FILE_BYTES = 4_000_000;
const LINGER_MS = 3_000;
/** Files so many in a row are traffic that goes on: were each as short, a day of it would be 29 000 files. */
const STEADY = { files: 20, lingerMs: 30_000, quietMs: 10_000 };
const POLL_MS = 500;
const TROUBLE_MS = { first: 1_000, max: 10_000 };
/** They are up to 900 KB each, and the stand-in answers with as many as it is asked for. */
const READ_RECORDS = 16;
/** They expire after 5 minutes. */
const ITERATOR_MS = 4 * 60_000;

/** Timings for tests. */
type Pace = { pollMs?: number; lingerMs?: number; troubleMs?: number; steady?: typeof STEADY };

/**
 * The laptop's Firehose: takes the stream's records into files of the lake. The position of a shard is stored only
 * after the files that hold everything before it; a kill at any point repeats records and loses none.
 */
export async function startFirehose(ports: FirehosePorts, pace: Pace = {}): Promise<Firehose> {
  const ending = new AbortController();
  const shards = await ports.source.shards();
  const consuming = consume(shards, ports, pace, ending.signal);
  return {
    stop: async () => {
      ending.abort();
      await consuming;
    },
  };
}

async function consume(
  shards: readonly string[],
  ports: FirehosePorts,
  pace: Pace,
  ending: AbortSignal,
): Promise<void> {
  const { first, max } = TROUBLE_MS;
  let failures = 0;
  while (!ending.aborted) {
    try {
      await fillFile(shards, ports, pace, ending, () => {
        failures = 0;
      });
    } catch (error) {
      if (ending.aborted) return;
      ports.reportError('Events could not be written to the lake', error);
      const pause = Math.min((pace.troubleMs ?? first) * 2 ** failures++, max);
      await delay(pause, undefined, { signal: ending }).catch(() => undefined);
    }
  }
}

type Cursor = { iterator: string; renewAt: number };
type Waiting = { records: StreamRecord[]; bytes: number; sinceMs: number };
/** How many files were written without a pause between them, and when the last one was. */
type Row = { files: number; endedMs: number };

const none = (): Waiting => ({ records: [], bytes: 0, sinceMs: 0 });

/** Reads and writes until it ends or fails: what then waits in memory is read again, from the stored positions. */
async function fillFile(
  shards: readonly string[],
  ports: FirehosePorts,
  { pollMs = POLL_MS, lingerMs = LINGER_MS, steady = STEADY }: Pace,
  ending: AbortSignal,
  stored: () => void,
): Promise<void> {
  const cursors = new Map<string, Cursor>();
  const last = new Map<string, string>();
  let waiting = none();
  let row: Row = { files: 0, endedMs: 0 };
  while (!ending.aborted) {
    let read = 0;
    for (const shard of shards) {
      const records = await readShard(shard, cursors, last.get(shard), ports);
      read += records.length;
      for (const record of records) hold(waiting, record);
      const newest = records.at(-1);
      if (newest !== undefined) last.set(shard, newest.sequenceNumber);
    }
    if (waiting.sinceMs - row.endedMs > steady.quietMs) row = { ...row, files: 0 };
    const dueMs = waiting.sinceMs + (row.files < steady.files ? lingerMs : steady.lingerMs);
    if (waiting.records.length > 0 && (waiting.bytes >= FILE_BYTES || Date.now() >= dueMs)) {
      await store(waiting.records, ports);
      waiting = none();
      row = { files: row.files + 1, endedMs: Date.now() };
      stored();
    }
    if (read === 0) await delay(pollMs, undefined, { signal: ending }).catch(() => undefined);
  }
  // The stream forgets after a day, and nobody knows when it is read again.
  if (waiting.records.length > 0) await store(waiting.records, ports);
}

function hold(waiting: Waiting, record: StreamRecord): void {
  if (waiting.records.length === 0) waiting.sinceMs = Date.now();
  waiting.records.push(record);
  waiting.bytes += record.data.length;
}

async function readShard(
  shard: string,
  cursors: Map<string, Cursor>,
  last: string | undefined,
  { source, checkpoints: positions }: FirehosePorts,
): Promise<StreamRecord[]> {
  let cursor = cursors.get(shard);
  if (cursor === undefined || Date.now() > cursor.renewAt) {
    cursor = { iterator: await source.iterator(shard, last ?? positions.get(shard)), renewAt: renewal() };
    cursors.set(shard, cursor);
  }
  const { records, next } = await source.read(cursor.iterator, READ_RECORDS);
  if (records.length > 0) {
    // An empty answer's next iterator starts at the present, past a record that is just being written: keep the old one.
    if (next === undefined) cursors.delete(shard);
    else cursors.set(shard, { iterator: next, renewAt: renewal() });
  }
  return records.map(({ sequenceNumber, data }) => ({ shard, sequenceNumber, data: Buffer.from(data, 'base64') }));
}

const renewal = () => Date.now() + ITERATOR_MS;

async function store(
  records: readonly StreamRecord[],
  { deliver: keep, checkpoints: positions, reportError: report }: FirehosePorts,
): Promise<void> {
  const { unreadable } = await keep(records);
  for (const { sequenceNumber, reason } of unreadable)
    report(
      'A record of the stream is no event: it waits below errors/events/',
      new Error(`${sequenceNumber}: ${reason}`),
    );
  const last = new Map(records.map(({ shard, sequenceNumber }) => [shard, sequenceNumber]));
  for (const [shard, sequenceNumber] of last) await positions.set(shard, sequenceNumber);
}
