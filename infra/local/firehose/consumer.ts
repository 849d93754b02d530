import { setTimeout as delay } from 'node:timers/promises';
import type { ReceivedRecord } from '../../../shared/analytics/ingest/stream-records.ts';
import type { ReportError } from '../common/output.ts';
import type { Writes } from '../emulators/writes.ts';
import type { CheckpointStore } from '../event-source/checkpoints.ts';
import type { StreamSource } from '../event-source/kinesis-source.ts';
import type { DeliveryResult } from './deliver-records.ts';

export type FirehosePorts = {
  source: StreamSource;
  checkpoints: CheckpointStore;
  /** Writes the records durably. */
  deliver(records: readonly ReceivedRecord[]): Promise<DeliveryResult>;
  writes: Writes;
  reportError: ReportError;
};

export type Firehose = {
  /** Delivers the buffered records. If that fails, they are delivered after the next start. */
  stop(): Promise<void>;
};

/** When this number of bytes is buffered, files are written. */
const BUFFER_BYTES_MAX = 4_000_000;
/** When the oldest buffered record has this age, files are written. */
const BUFFER_AGE_MS_MAX = 3_000;
/**
 * During steady traffic, records are buffered longer. Otherwise, a day would produce 29,000 files. Traffic is steady
 * after `files` deliveries. A pause of `pauseMs` sets the number of deliveries to 0.
 */
const STEADY_TRAFFIC = { files: 20, bufferAgeMsMax: 30_000, pauseMs: 10_000 };
/**
 * Time to wait after an empty read. If no record is buffered, the consumer then also waits for the report of a write,
 * at most for `IDLE_MS`.
 */
const POLL_INTERVAL_MS = 500;
const IDLE_MS = 2_000;
const ERROR_DELAY_MS = { first: 1_000, max: 10_000 };
/** Limits the memory of a read. A record has up to 900 KB, and the Kinesis stand-in sends responses of any size. */
const READ_RECORDS_MAX = 16;

/** Timings for tests. */
type Timings = {
  pollIntervalMs?: number;
  bufferAgeMsMax?: number;
  errorDelayMs?: number;
  steadyTraffic?: typeof STEADY_TRAFFIC;
};

/**
 * The Firehose stand-in: writes the stream's records into files of the lake. The checkpoint of a shard is stored only
 * after its records are in files. Therefore, a kill loses no record, but some records may be written again.
 */
export async function startFirehose(ports: FirehosePorts, timings: Timings = {}): Promise<Firehose> {
  const stopping = new AbortController();
  const shards = await ports.source.listShards();
  const running = run(shards, ports, timings, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function run(
  shards: readonly string[],
  ports: FirehosePorts,
  timings: Timings,
  stopping: AbortSignal,
): Promise<void> {
  const { first, max } = ERROR_DELAY_MS;
  let failures = 0;
  const onDelivered = () => {
    failures = 0;
  };
  while (!stopping.aborted) {
    try {
      await deliverContinuously(shards, ports, timings, stopping, onDelivered);
    } catch (error) {
      if (stopping.aborted) return;
      ports.reportError('Events could not be copied from the stream to the lake. Retrying', error);
      const delayMs = Math.min((timings.errorDelayMs ?? first) * 2 ** failures++, max);
      await delay(delayMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

type RecordBuffer = { records: ReceivedRecord[]; bytes: number; oldestMs: number };

const emptyBuffer = (): RecordBuffer => ({ records: [], bytes: 0, oldestMs: 0 });

/**
 * Reads and delivers records until `stopping` is aborted. If this function throws, the next call starts at the stored
 * checkpoints and reads the buffered records again.
 */
async function deliverContinuously(
  shards: readonly string[],
  ports: FirehosePorts,
  { pollIntervalMs = POLL_INTERVAL_MS, bufferAgeMsMax = BUFFER_AGE_MS_MAX, steadyTraffic = STEADY_TRAFFIC }: Timings,
  stopping: AbortSignal,
  onDelivered: () => void,
): Promise<void> {
  const lastRead = new Map<string, string>();
  let buffer = emptyBuffer();
  let [filesWithoutPause, lastFileMs] = [0, 0];
  while (!stopping.aborted) {
    let readCount = 0;
    const writesBefore = ports.writes.count();
    for (const shard of shards) {
      const records = await readShard(shard, lastRead.get(shard), ports);
      readCount += records.length;
      for (const record of records) addToBuffer(buffer, record);
      const newest = records.at(-1);
      if (newest !== undefined) lastRead.set(shard, newest.sequenceNumber);
    }
    if (buffer.oldestMs - lastFileMs > steadyTraffic.pauseMs) filesWithoutPause = 0;
    const isSteady = filesWithoutPause >= steadyTraffic.files;
    const dueMs = buffer.oldestMs + (isSteady ? steadyTraffic.bufferAgeMsMax : bufferAgeMsMax);
    if (buffer.records.length > 0 && (buffer.bytes >= BUFFER_BYTES_MAX || Date.now() >= dueMs)) {
      await deliverBuffer(buffer.records, ports);
      buffer = emptyBuffer();
      filesWithoutPause += 1;
      lastFileMs = Date.now();
      onDelivered();
    }
    if (readCount > 0) continue;
    await delay(pollIntervalMs, undefined, { signal: stopping }).catch(() => undefined);
    if (buffer.records.length === 0) await ports.writes.waitForNext(writesBefore, IDLE_MS, stopping);
  }
  // Deliver now, because the stream could remove these records before the next start.
  if (buffer.records.length > 0) await deliverBuffer(buffer.records, ports);
}

function addToBuffer(buffer: RecordBuffer, record: ReceivedRecord): void {
  if (buffer.records.length === 0) buffer.oldestMs = Date.now();
  buffer.records.push(record);
  buffer.bytes += record.data.length;
}

async function readShard(
  shard: string,
  lastSequenceNumber: string | undefined,
  { source, checkpoints }: FirehosePorts,
): Promise<ReceivedRecord[]> {
  const records = await source.read(shard, lastSequenceNumber ?? checkpoints.get(shard), READ_RECORDS_MAX);
  return records.map(({ sequenceNumber, data }) => ({ shard, sequenceNumber, data: Buffer.from(data, 'base64') }));
}

async function deliverBuffer(
  records: readonly ReceivedRecord[],
  { deliver, checkpoints, reportError }: FirehosePorts,
): Promise<void> {
  const { unreadable } = await deliver(records);
  for (const { sequenceNumber, reason } of unreadable) {
    const error = new Error(`${sequenceNumber}: ${reason}`);
    reportError(
      'A record of the stream is invalid. The record is stored in the lake bucket below errors/events/',
      error,
    );
  }
  const lastByShard = new Map(records.map(({ shard, sequenceNumber }) => [shard, sequenceNumber]));
  for (const [shard, sequenceNumber] of lastByShard) await checkpoints.set(shard, sequenceNumber);
}
